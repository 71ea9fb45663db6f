#pragma once

#include <string>

#include "projnce/core/table.h"

namespace projnce {

/// A text out of a run's configuration; empty where it is not there or no text: reports show what
/// they can of any file.
inline std::string config_text(const Table& config, const std::string& section,
                               const std::string& key) {
  const auto table = config.tables.find(section);
  if (table == config.tables.end()) return {};
  const auto value = table->second.values.find(key);
  if (value == table->second.values.end()) return {};
  const auto* text = std::get_if<std::string>(&value->second.data);
  return text == nullptr ? std::string() : *text;
}

}  // namespace projnce
