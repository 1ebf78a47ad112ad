// The experiment "layout": leading dimensions, sub-matrices, and row-major products through a column-major API,
// on numbers small enough to follow by hand. Each part states a claim and computes it; the expected numbers
// are constants that were computed by hand.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cairn/cairn.hpp"
#include "lab/exit.hpp"
#include "lab/experiments/experiments.hpp"

namespace cairn::lab {
namespace {

using Numbers = std::vector<float>;

Handle open_cpu() {
  Handle handle;
  expect(Handle::open(kCpu, handle));
  return handle;
}

std::string line(const Numbers& x) { return fmt::format("{}", fmt::join(x, " ")); }

// The r x c matrix in the memory at x: rows of numbers, as one would write it.
std::string picture(const float* x, int rows, int cols, int row_step, int col_step) {
  std::string out;
  for (int i = 0; i < rows; ++i) {
    out += "      ";
    for (int j = 0; j < cols; ++j) out += fmt::format("{:5}", x[i * row_step + j * col_step]);
    out += i + 1 < rows ? "\n" : "";
  }
  return out;
}

class Story {
 public:
  void say(std::string text) { findings_.report.before.push_back(std::move(text)); }

  // A claim that the numbers found are the numbers expected.
  void claim(const std::string& what, const Numbers& found, const Numbers& expected) {
    claim(what, line(found), line(expected));
  }
  void claim(const std::string& what, const std::string& found, const std::string& expected) {
    const bool holds = found == expected;
    findings_.holds = findings_.holds && holds;
    findings_.report.table.rows.push_back({what, found, expected, holds});
  }

  Findings finish() && {
    findings_.report.table.columns = {{"claim", "claim", Align::left},
                                      {"found", "found", Align::left},
                                      {"by_hand", "by hand", Align::left},
                                      {"holds", "holds"}};
    findings_.report.after = {"A claim does not hold: the library or this page is wrong."};
    if (findings_.holds) {
      findings_.report.after = {
          "Every claim holds. What they prove: ld belongs to the storage (1); a sub-matrix needs no copy (2); "
          "for a transposed B stored n x k, ldb is k (3); a column-major API serves row-major matrices by "
          "exchanging the factors, with nothing moved in memory (4)."};
    }
    return std::move(findings_);
  }

 private:
  Findings findings_;
};

// A = 1 2 3      B =  7  8      A·B =  58  64
//     4 5 6           9 10             139 154
//                    11 12
const Numbers kRowA = {1, 2, 3, 4, 5, 6};
const Numbers kColA = {1, 4, 2, 5, 3, 6};
const Numbers kRowB = {7, 8, 9, 10, 11, 12};
const Numbers kRowAB = {58, 64, 139, 154};

void two_orders(Story& story) {
  story.say("1. One matrix, two orders in memory. A is 2 x 3:");
  story.say(picture(kRowA.data(), 2, 3, 3, 1));
  story.say(
      fmt::format("   row-major:    {}    element (i, j) at A[i*ld + j], ld = 3, the length of a row", line(kRowA)));
  story.say(fmt::format("   column-major: {}    element (i, j) at A[i + j*ld], ld = 2, the length of a column",
                        line(kColA)));
  story.say(
      "   ld is the distance from one line to the next in memory: it belongs to the storage, not to the product.");
  Numbers turned;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) turned.push_back(kColA[i + j * 2]);
  }
  story.claim("1  both orders hold the same A", turned, kRowA);
}

void sub_matrix(Story& story) {
  // 3 x 4, holding 10·row + column; the 2 x 2 in its middle starts at (1, 1).
  const Numbers whole = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  const Numbers ones = {1, 0, 0, 1};
  Numbers C(4, -1);
  Handle cpu = open_cpu();
  expect(gemm(cpu, Op::none, Op::none, 2, 2, 2, 1, whole.data() + 1 * 4 + 1, 4, ones.data(), 2, 0, C.data(), 2));
  story.say(
      "\n2. A sub-matrix is a pointer and the ld of the matrix it lies in. W is 3 x 4, and S its 2 x 2 from (1, 1):");
  story.say(picture(whole.data(), 3, 4, 4, 1));
  story.say(
      "   A = W + 1*4 + 1 with lda = 4, although S has only 2 columns. S times the identity is S, with no copy "
      "made.");
  story.claim("2  sub-matrix, ld = 4 > 2 columns", C, {11, 12, 21, 22});
}

void transposed_b(Story& story) {
  // B is stored 2 x 3 (n x k), so a stored row has k = 3 numbers and ldb = k.
  //   A·Bᵀ with B = 7 8 9 ; 10 11 12:   1·7+2·8+3·9 = 50   1·10+2·11+3·12 = 68   122   167
  Handle cpu = open_cpu();
  Numbers C(4, -1);
  expect(gemm(cpu, Op::none, Op::transpose, 2, 2, 3, 1, kRowA.data(), 3, kRowB.data(), 3, 0, C.data(), 2));
  story.say("\n3. C = A·Bᵀ with B stored n x k, here 2 x 3. A row of that storage has k = 3 numbers, so ldb = k:");
  story.say(picture(kRowB.data(), 2, 3, 3, 1));
  story.claim("3  C = A·Bᵀ with ldb = k = 3", C, {50, 68, 122, 167});

  const Status refused =
      gemm(cpu, Op::none, Op::transpose, 2, 2, 3, 1, kRowA.data(), 3, kRowB.data(), 2, 0, C.data(), 2);
  story.say(
      "   With ldb = n = 2, a mistake that square matrices hide, the second row would start one number early, at 9 "
      "instead of 10. Cairn refuses:");
  story.say(fmt::format("      {}", refused.ok() ? "(it did not)" : refused.message()));
  story.claim("3  ldb = n = 2 is refused, C untouched", (refused.ok() ? "accepted, " : "refused, ") + line(C),
              "refused, 50 68 122 167");

  // Where n > k the wrong ldb is legal and nothing can refuse it: B stored 3 x 2, n = 3, k = 2.
  //   A = 1 2 ; 3 4   B = 1 2 ; 3 4 ; 5 6 in six numbers, then 0 0 0 that are not part of B
  const Numbers A = {1, 2, 3, 4}, B = {1, 2, 3, 4, 5, 6, 0, 0, 0};
  Numbers right(6, -1), wrong(6, -1);
  expect(gemm(cpu, Op::none, Op::transpose, 2, 3, 2, 1, A.data(), 2, B.data(), 2, 0, right.data(), 3));
  expect(gemm(cpu, Op::none, Op::transpose, 2, 3, 2, 1, A.data(), 2, B.data(), 3, 0, wrong.data(), 3));
  story.say(
      "   Where n > k it is legal and wrong. B stored 3 x 2 is 1 2 3 4 5 6, and 0 0 0 follow that are not B's. Read "
      "with ldb = n = 3 its rows become (1 2) (4 5) (0 0): the 3 and the 6 are skipped, and B is read past its end.");
  story.claim("3  n = 3, k = 2: ldb = k is right", right, {5, 11, 17, 11, 25, 39});
  story.claim("3  n = 3, k = 2: ldb = n is wrong, just so", wrong, {5, 14, 0, 11, 32, 0});
}

void row_through_column(Story& story) {
  Handle cpu = open_cpu();
  Numbers direct(4, -1), through(4, -1);
  expect(gemm(cpu, Op::none, Op::none, 2, 2, 3, 1, kRowA.data(), 3, kRowB.data(), 2, 0, direct.data(), 2));
  // The same memory, every number in its place, given to a column-major call: B first, then A, m and n exchanged,
  // each ld with its matrix.
  expect(gemm(cpu, Op::none, Op::none, 2, 2, 3, 1, kRowB.data(), 2, kRowA.data(), 3, 0, through.data(), 2,
              Order::column));
  story.say(
      "\n4. A column-major API (BLAS, cuBLAS) serves row-major matrices. Row-major memory read by columns is the "
      "transpose, and Cᵀ = Bᵀ·Aᵀ: so pass B first, then A, with n and m exchanged, every ld as it is. What the "
      "call writes as Cᵀ by columns is C by rows. No number moves.");
  story.claim("4  row-major call", direct, kRowAB);
  story.claim("4  the same through a column-major call", through, kRowAB);

  Numbers naive(4, -1);
  expect(
      gemm(cpu, Op::none, Op::none, 2, 2, 3, 1, kRowA.data(), 2, kRowB.data(), 3, 0, naive.data(), 2, Order::column));
  story.say(
      "   Passing A first instead multiplies other matrices: A is seen as 1 3 5 ; 2 4 6 and B as 7 10 ; 8 11 ; 9 "
      "12.");
  story.claim("4  A first, through the column-major call: not C", naive, {76, 100, 103, 136});
}

}  // namespace

Findings layout_experiment(const Conditions&) {
  Story story;
  two_orders(story);
  sub_matrix(story);
  transposed_b(story);
  row_through_column(story);
  return std::move(story).finish();
}

}  // namespace cairn::lab
