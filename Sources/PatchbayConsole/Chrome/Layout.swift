import PatchbayGrid

/// Where the parts of a tab stand in its area. Pure geometry.
struct Layout: Equatable {
  /// The filter of the list, or what a tab says of itself.
  var bar: Rect
  var columns: Rect
  var rows: Rect
  /// The rule between list and detail, with the tabs in it where it is horizontal.
  var divider: Rect
  /// The tabs of the detail and what is said beside them.
  var detailHead: Rect
  var detail: Rect
  var isBeside: Bool

  /// Below this nothing useful fits.
  static let minimum = Size(width: 40, height: 9)
  /// From this width on the detail stands beside the list unless the person says otherwise.
  static let wide = 150
  /// Below this width it never does.
  static let narrowestBeside = 80

  /// - Parameter area: everything between header and footer.
  init(in area: Rect, showsDetail: Bool = false, view: ViewSettings = ViewSettings()) {
    let second = area.splitTop(1)
    bar = second.top
    isBeside = showsDetail && (view.detailBeside ?? (area.width >= Layout.wide)) && area.width >= Layout.narrowestBeside
    let share = max(15, min(85, view.listShare))
    guard showsDetail else {
      let parts = second.rest.splitTop(1)
      columns = parts.top
      rows = parts.rest
      divider = .zero
      detailHead = .zero
      detail = .zero
      return
    }
    if isBeside {
      let list = second.rest.splitLeft(max(40, min(area.width - 31, area.width * share / 100)))
      let parts = list.left.splitTop(1)
      columns = parts.top
      rows = parts.rest
      let right = list.rest.splitLeft(1)
      divider = right.left
      let pane = right.rest.splitTop(1)
      detailHead = pane.top
      detail = pane.rest
    } else {
      let height = max(3, min(second.rest.height - 3, second.rest.height * share / 100))
      let list = second.rest.splitTop(height)
      let parts = list.top.splitTop(1)
      columns = parts.top
      rows = parts.rest
      let pane = list.rest.splitTop(1)
      divider = pane.top
      detailHead = pane.top
      detail = pane.rest
    }
  }
}

extension Size {
  /// Whether there is room for the console at all.
  var fitsConsole: Bool { width >= Layout.minimum.width && height >= Layout.minimum.height }
}
