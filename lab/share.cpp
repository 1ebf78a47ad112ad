#include "lab/share.hpp"

#include <string>

#include "lab/completion/scripts.hpp"
#include "lab/man.hpp"
#include "lab/output.hpp"

namespace cairn::lab {

void write_share(const CLI::App& app, const std::filesystem::path& folder) {
  const auto write = [&](const std::filesystem::path& file, std::string_view text) {
    std::filesystem::create_directories((folder / file).parent_path());
    write_file((folder / file).string(), text, true);
  };
  write("man/man1/cairn.1", man_page(app));
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    write("man/man1/cairn-" + verb->get_name() + ".1", man_page(*verb));
  for (const CompletionScript& script : kCompletionScripts) write(script.file, script.text);
}

}  // namespace cairn::lab
