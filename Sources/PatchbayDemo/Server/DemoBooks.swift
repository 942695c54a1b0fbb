/// The shop's shelf.
enum DemoBooks {
  struct Book: Sendable {
    var title: String
    var author: String
    var price: Int
    var summary: String
  }

  static let all: [Book] = [
    Book(title: "こころ", author: "夏目漱石", price: 620, summary: "先生と私、そして遺書。友情と恋のあいだで揺れる心。"),
    Book(title: "銀河鉄道の夜", author: "宮沢賢治", price: 540, summary: "ジョバンニは親友カムパネルラと銀河の旅に出る。"),
    Book(title: "雪国", author: "川端康成", price: 480, summary: "国境の長いトンネルを抜けると雪国であった。"),
    Book(
      title: "The Moonstone", author: "Wilkie Collins", price: 980, summary: "A diamond, a theft, and many narrators."),
    Book(title: "羅生門", author: "芥川龍之介", price: 450, summary: "ある日の暮方の事である。一人の下人が雨やみを待っていた。"),
    Book(title: "Persuasion", author: "Jane Austen", price: 870, summary: "Eight years later, a second chance."),
    Book(title: "吾輩は猫である", author: "夏目漱石", price: 760, summary: "吾輩は猫である。名前はまだ無い。"),
    Book(title: "人間失格", author: "太宰治", price: 430, summary: "恥の多い生涯を送って来ました。"),
    Book(title: "Middlemarch", author: "George Eliot", price: 1280, summary: "A study of provincial life."),
    Book(title: "草枕", author: "夏目漱石", price: 520, summary: "山路を登りながら、こう考えた。"),
    Book(title: "源氏物語", author: "紫式部", price: 1980, summary: "いづれの御時にか、女御、更衣あまたさぶらひたまひける中に。"),
  ]
}
