#include "python/native/problem.hpp"

#include <array>
#include <limits>
#include <string_view>

#include "python/native/failure.hpp"

namespace cairn_python {
namespace {

struct Field {
  std::string_view name;
  std::int32_t cairn_problem::*narrow = nullptr;  // one of the two
  std::int64_t cairn_problem::*wide = nullptr;
};

// The frequent ones first: they are found first.
constexpr std::array kFields = {
    Field{"in", &cairn_problem::in},
    Field{"out", &cairn_problem::out},
    Field{"m", nullptr, &cairn_problem::m},
    Field{"n", nullptr, &cairn_problem::n},
    Field{"k", nullptr, &cairn_problem::k},
    Field{"lda", nullptr, &cairn_problem::lda},
    Field{"ldb", nullptr, &cairn_problem::ldb},
    Field{"ldc", nullptr, &cairn_problem::ldc},
    Field{"op_a", &cairn_problem::op_a},
    Field{"op_b", &cairn_problem::op_b},
    Field{"order", &cairn_problem::order},
    Field{"compute", &cairn_problem::compute},
    Field{"batch", nullptr, &cairn_problem::batch},
    Field{"stride_a", nullptr, &cairn_problem::stride_a},
    Field{"stride_b", nullptr, &cairn_problem::stride_b},
    Field{"stride_c", nullptr, &cairn_problem::stride_c},
    Field{"bias", &cairn_problem::bias},
    Field{"bias_type", &cairn_problem::bias_type},
    Field{"stride_bias", nullptr, &cairn_problem::stride_bias},
    Field{"activation", &cairn_problem::activation},
    Field{"before", &cairn_problem::before},
    Field{"scale_a", &cairn_problem::scale_a},
    Field{"scale_b", &cairn_problem::scale_b},
    Field{"stride_scale_a", nullptr, &cairn_problem::stride_scale_a},
    Field{"stride_scale_b", nullptr, &cairn_problem::stride_scale_b},
    Field{"invariant", &cairn_problem::invariant},
    Field{"groups", nullptr, &cairn_problem::groups},
};

[[noreturn]] void refuse(const std::string& message) { throw Failure{CAIRN_INVALID_ARGUMENT, message}; }

void set(cairn_problem& problem, nb::handle key, nb::handle value) {
  nb::str name;
  if (!nb::try_cast(key, name)) refuse("a key of problem is not a str; it must be a field of cairn_problem");
  const std::string_view wanted = name.c_str();
  for (const Field& field : kFields) {
    if (field.name != wanted) continue;
    std::int64_t number = 0;
    if (!nb::try_cast(value, number)) refuse("problem['" + std::string(wanted) + "'] is not an int of 64 bits");
    if (field.wide != nullptr) {
      problem.*field.wide = number;
      return;
    }
    if (number < 0 || number > std::numeric_limits<std::int32_t>::max())
      refuse("problem['" + std::string(wanted) + "'] is " + std::to_string(number) +
             "; it must be a value of its enum in cairn.h");
    problem.*field.narrow = static_cast<std::int32_t>(number);
    return;
  }
  std::string known;
  for (const Field& field : kFields) known += (known.empty() ? "" : ", ") + std::string(field.name);
  refuse("problem has no field '" + std::string(wanted) + "'; its fields are " + known);
}

}  // namespace

cairn_problem read_problem(const nb::dict& fields) {
  cairn_problem problem = CAIRN_PROBLEM_INIT;
  problem.batch = 1;
  for (const auto& [key, value] : fields) set(problem, key, value);
  return problem;
}

nb::dict parse_problem(const char* text) {
  cairn_problem problem = CAIRN_PROBLEM_INIT;
  check(cairn_problem_parse(&problem, text));
  nb::dict fields;
  for (const Field& field : kFields) {
    const nb::str name(field.name.data());
    fields[name] = field.wide != nullptr ? problem.*field.wide : problem.*field.narrow;
  }
  return fields;
}

std::string print_problem(const nb::dict& fields, bool full) {
  const cairn_problem problem = read_problem(fields);
  std::size_t needed = 0;
  check(cairn_problem_print(&problem, full ? 1 : 0, nullptr, 0, &needed));
  std::string text(needed, '\0');
  check(cairn_problem_print(&problem, full ? 1 : 0, text.data(), text.size(), &needed));
  text.resize(needed - 1);  // without the final 0
  return text;
}

}  // namespace cairn_python
