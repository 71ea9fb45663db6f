#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace projnce::report {

/// Serializes the data of a report (PageData of web/src/model.ts) for embedding in a script
/// element.
std::string report_json(const nlohmann::ordered_json& data);

/// Returns a self-contained report. Its content security policy allows only its own script and
/// style. Throws if the program was built without them.
std::string report_html(const nlohmann::ordered_json& data);

/// Content security policy of the report.
std::string report_policy();

// Files of web/ embedded in the program. Empty if it was built without them.

std::string_view report_template();
std::string_view report_script();
std::string_view report_style();

}  // namespace projnce::report
