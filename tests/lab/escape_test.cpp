// Names are data: what a terminal, a Markdown page or a browser would obey is shown instead.
#include "lab/escape.hpp"

#include <gtest/gtest.h>

#include "lab/record/page_tables.hpp"
#include "lab/table.hpp"
#include "lab/trace/html.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab {
namespace {

TEST(Escape, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("\x1b[2J\x07 a\rb\x7f"), "\\x1b[2J\\x07 a\\x0db\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");  // CSI in one character
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb");  // right to left from here on
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("x\ty\nz"), "x\ty\nz");
  EXPECT_EQ(visible("x\ny", Breaks::escape), "x\\ny");
  EXPECT_EQ(one_line("x\ny\n"), "x; y");
}

TEST(Escape, LeavesTextAloneAndShowsBytesThatAreNone) {
  EXPECT_EQ(visible("µs · Aᵀ·B ▇ 𝛼"), "µs · Aᵀ·B ▇ 𝛼");
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");                    // too long a form of ESC's kin
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // U+110000
}

TEST(Escape, MarkdownShowsTheSameCharacters) {
  EXPECT_EQ(as_markdown("<img src=x>"), "&lt;img src=x>");
  EXPECT_EQ(as_markdown("[a](http://b) ![c][d]"), "[a\\](http://b) ![c\\][d]");
  EXPECT_EQ(as_markdown("**b** _i_ `c` ~~s~~ a|b \\*"), "\\*\\*b\\*\\* \\_i\\_ \\`c\\` \\~\\~s\\~\\~ a\\|b \\\\\\*");
  EXPECT_EQ(as_markdown("&lt;script&#62; A & B"), "&amp;lt;script&amp;#62; A & B");
  EXPECT_EQ(as_markdown("# h\n> q\n- l\n---"), "\\# h\n\\> q\n\\- l\n\\---");
  EXPECT_EQ(as_markdown("simt/01_naive 1.002 [0.998, 1.005] -3 a-b"), "simt/01_naive 1.002 [0.998, 1.005] -3 a-b");
}

TEST(Escape, HtmlHasNoTagsAndNoControls) {
  EXPECT_EQ(as_html("<b a=\"'\">&\x1b"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;\\x1b");
}

const std::string kEvil = "\x1b]0;pwned\x07<script>alert(1)</script>[x](javascript:y)\n|z";

TEST(Escape, CellsTitlesAndLinesAreText) {
  Report report{{kEvil}, {{{"id", kEvil, Align::left}}, {{kEvil}}}, {kEvil}, {kEvil}};
  report.sections = {{kEvil, {{{"x", kEvil}}, {{"```\n" + kEvil}}}}};
  const std::string table = render(report, Format::table), md = render(report, Format::md);
  for (const std::string& text : {table, md}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  }
  const std::string outside = md.substr(0, md.find("````"));  // what follows is code, in a fence of four
  EXPECT_EQ(outside.find("<script"), std::string::npos) << md;
  EXPECT_EQ(outside.find("[x]("), std::string::npos) << md;
  EXPECT_NE(outside.find("| \\\\x1b]0;pwned\\\\x07&lt;script>alert(1)&lt;/script>[x\\](javascript:y)\\\\n\\|z |"),
            std::string::npos)
      << md;
}

TEST(Escape, TheTablesOfAPageKeepTheirLinksAndTakeNoOthers) {
  using namespace record;
  const Problem square = Problem::packed(Type::f32, Op::none, Op::none, 4096, 4096, 4096);
  Record record = some_record({some_row("simt/01_naive", square, {4}), some_row(kEvil, square, {8}, true)});
  record.machine.name = record.machine.software = record.build.commit = kEvil;
  record.notes = {kEvil};
  const std::string page = "<!-- ladder:begin --><!-- ladder:end -->";
  const auto tables = page_tables(page, {{"results/a b(1).json", record}}, CAIRN_SOURCE_DIR, "P.md");
  const std::string& text = tables.at(0).text;
  EXPECT_NE(text.find("| [simt/01_naive](docs/trail/simt_01_naive.md)"), std::string::npos) << text;
  EXPECT_NE(text.find("[a b(1).json](results/a%20b%281%29.json)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find("<script"), std::string::npos) << text;
  EXPECT_EQ(text.find("[x]("), std::string::npos) << text;
}

TEST(Escape, ATracesPageTakesNoNamesAsMarkup) {
  trace::Traced run;
  run.id = kEvil;
  run.trace.kernels.emplace_back().name = kEvil;
  const std::string html = trace::to_html({run}, {"."});
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos) << html;
  EXPECT_EQ(html.find("<script"), std::string::npos) << html;
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace cairn::lab
