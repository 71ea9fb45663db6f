#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projnce::report {

/// The data of a report (PageData of web/src/model.ts) as text, fit to stand inside a script
/// element.
std::string report_json(const nlohmann::ordered_json& data);

/// The data as one report that needs nothing else. Its script and style are the only ones that the
/// page lets a browser run. Throws where this program was built without them.
std::string report_html(const nlohmann::ordered_json& data);

/// What a browser is told to allow on the report.
std::string report_policy();

}  // namespace projnce::report
