import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Where a list stands: what is selected and what is in sight, at every bound.
@Suite(.bounded) struct ListScrollTests {
  @Test func theSelectionStaysInTheList() {
    for count in 0...6 {
      for selected in 0...6 {
        for step in -8...8 {
          var scroll = ListScroll(selected: selected, top: 3)
          scroll.move(by: step, count: count)
          let wanted = selected + step
          let expected = count == 0 || wanted < 0 ? 0 : wanted >= count ? count - 1 : wanted
          #expect(scroll == ListScroll(selected: expected, top: 3), "\(count) \(selected) \(step)")
        }
      }
    }
  }

  /// The slow way: of all places that show the selection with its margin and no empty row more than there must be, the
  /// nearest to where it was.
  @Test func theSelectionIsInSightWithAMarginAndTheListMovesNoMoreThanItMust() {
    for count in 1...9 {
      for height in 1...7 {
        for margin in 0...3 {
          let kept = min(margin, (height - 1) / 2)
          for selected in 0..<count {
            for top in 0...9 {
              var scroll = ListScroll(selected: selected, top: top)
              scroll.settle(count: count, height: height, margin: margin)
              let good = (0...max(0, count - height)).filter { place in
                let above = min(kept, selected)
                let below = min(kept, count - 1 - selected)
                return selected - place >= above && place + height - 1 - selected >= below
              }
              let expected = good.min { abs($0 - top) < abs($1 - top) }
              #expect(scroll.selected == selected && scroll.top == expected, "\(count) \(height) \(margin) \(top)")
            }
          }
        }
      }
    }
    var gone = ListScroll(selected: 9, top: 8)
    gone.settle(count: 3, height: 2)
    #expect(gone == ListScroll(selected: 2, top: 1))
    gone.settle(count: 0, height: 2)
    #expect(gone == ListScroll(selected: 0, top: 0))
    gone = ListScroll(selected: 5, top: 0)
    gone.settle(count: 9, height: 0)
    #expect(gone == ListScroll(selected: 5, top: 5))
    gone = ListScroll(selected: 5, top: 0)
    gone.settle(count: 9, height: 5)
    #expect(gone.top == 3, "two rows below it are seen, unless more is said")
  }

  @Test func theWheelMovesWhatIsSeenAndTheSelectionNoMoreThanItMust() {
    for count in 0...8 {
      for height in 0...5 {
        for top in 0...max(0, count - max(1, height)) {
          for selected in 0..<max(1, count) {
            for step in [-9, -2, -1, 0, 1, 2, 9] {
              var scroll = ListScroll(selected: selected, top: top)
              scroll.scroll(by: step, count: count, height: height)
              let rows = max(1, height)
              let last = max(0, count - rows)
              let first = top + step < 0 ? 0 : top + step > last ? last : top + step
              // Where two rows around the selection fit, they are seen too, but at the ends of the list.
              let kept = min(2, (rows - 1) / 2)
              let lowest = first == 0 ? 0 : first + kept
              let highest = first == last ? max(0, count - 1) : first + rows - 1 - kept
              let expected = selected < lowest ? lowest : selected > highest ? highest : selected
              #expect(scroll == ListScroll(selected: expected, top: first), "\(count) \(height) \(top) \(step)")
              scroll.settle(count: count, height: height)
              #expect(scroll == ListScroll(selected: expected, top: first), "what is seen stays there")
            }
          }
        }
      }
    }
  }

  @Test func aClickSelectsTheRowThatIsThere() {
    let rows = Rect(x: 2, y: 3, width: 10, height: 4)
    for x in 0...13 {
      for y in 0...9 {
        var scroll = ListScroll(selected: 1, top: 5)
        let isThere = (2...11).contains(x) && (3...5).contains(y)
        #expect(scroll.press(Point(x: x, y: y), in: rows, count: 8) == isThere, "\(x) \(y)")
        #expect(scroll == ListScroll(selected: isThere ? 5 + y - 3 : 1, top: 5), "\(x) \(y)")
      }
    }
  }
}
