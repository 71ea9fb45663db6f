#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projnce::report {

/// Serializes the data of a report (PageData of web/src/model.ts) for embedding in a script
/// element.
std::string report_json(const nlohmann::ordered_json& data);

/// Returns a self-contained report. Its content security policy allows only its own script and
/// style. Throws if the program was built without them.
std::string report_html(const nlohmann::ordered_json& data);

/// Content security policy of the report.
std::string report_policy();

}  // namespace projnce::report
