import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// How columns share a width: what they are given, and what is left out.
@Suite(.bounded) struct TableViewTests {
  private func widths(_ columns: [TableView.Column], _ width: Int) -> [String] {
    TableView(columns, width: width).places.map { "\(columns[$0.index].title) \($0.width)" }
  }

  /// Three cells before the first column, two between columns, one behind the last.
  private let columns = [
    TableView.Column(title: "name", width: 20, least: 8, flexes: true),
    TableView.Column(title: "size", width: 10, least: 10), TableView.Column(title: "time", width: 16, least: 4),
    TableView.Column(title: "extra", width: 12, rank: 5),
  ]

  @Test func whatIsLeftGoesToTheOneThatFlexes() {
    #expect(widths(columns, 68) == ["name 20", "size 10", "time 16", "extra 12"])
    #expect(widths(columns, 100) == ["name 52", "size 10", "time 16", "extra 12"])
  }

  @Test func theHighestRankIsLeftOutFirst() {
    #expect(widths(columns, 67) == ["name 33", "size 10", "time 16"])
  }

  /// Narrower than the widths: each has its least, and what is left is shared by what each would still take.
  @Test func whatIsTightIsShared() {
    let few = Array(columns.prefix(3))
    for width in 60...90 {
      let given = TableView(few, width: width).places.map(\.width)
      let total = given.reduce(8, +)
      #expect(total == width, "\(given)")
    }
    #expect(widths(few, 60).first == "name 26")
    let tight = [
      TableView.Column(title: "a", width: 40, least: 20), TableView.Column(title: "b", width: 40, least: 20),
      TableView.Column(title: "c", width: 10),
    ]
    // Each takes half of what is left, and a column that has no least stays as it is. Below 60 the gaps are single.
    #expect(widths(tight, 78) == ["a 30", "b 30", "c 10"])
    #expect(widths(tight, 58) == ["a 21", "b 21", "c 10"])
  }

  @Test func emptyOnesHaveNoPlace() {
    var some = columns
    some[1].isEmpty = true
    #expect(widths(some, 68) == ["name 32", "time 16", "extra 12"])
  }

  @Test func aPlaceBelongsToTheColumnThatBeginsBeforeIt() {
    let table = TableView(columns, width: 68)
    #expect(table.places.map(\.x) == [3, 25, 37, 55])
    #expect([1, 2, 23, 24, 36, 54, 67].map { table.column(at: $0) } == [nil, 0, 0, 1, 2, 3, 3])
  }
}
