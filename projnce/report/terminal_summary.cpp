#include "projnce/report/terminal_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

#include "projnce/report/sparkline.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr int kLongestSparkline = 60;
constexpr int kShortestSparkline = 8;
constexpr int kBesideSparkline = 34;  // columns of a line for name and numbers

double percent(const ordered_json& share) {
  return 100 * share.get<double>();
}

/// The lines while they are written.
class SummaryText {
 public:
  explicit SummaryText(const TerminalStyle& style) : style_(style) {}

  void line(const std::string& name, const std::string& text) {
    lines_.emplace_back(name, text);
    if (style_.unicode) name_width_ = std::max(name_width_, name.size());
  }

  std::string strong(const std::string& text) const { return coloured("1", text); }
  std::string soft(const std::string& text) const { return coloured("2", text); }
  std::string drawn(const std::string& text) const { return coloured("36", text); }
  const TerminalStyle& style() const { return style_; }

  std::string finish() const {
    std::string all;
    for (const auto& [name, text] : lines_) {
      all += fmt::format("{} {}\n", soft(fmt::format("{:<{}}", name, name_width_)), text);
    }
    return all;
  }

 private:
  std::string coloured(const char* code, const std::string& text) const {
    return style_.colours ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }

  TerminalStyle style_;
  size_t name_width_ = 9;  // in plain lines always the same
  std::vector<std::pair<std::string, std::string>> lines_;
};

void add_accuracy(const ordered_json& summary, SummaryText& text) {
  const auto& accuracy = summary.at("accuracy");
  text.line("accuracy",
            fmt::format("{} (last epoch), best {:.2f} % (epoch {}), by {}",
                        text.strong(fmt::format("{:.2f} %", percent(accuracy.at("last")))),
                        percent(accuracy.at("best")), accuracy.at("best_epoch").get<int64_t>(),
                        summary.at("protocol").get<std::string>()));
}

void add_protocols(const ordered_json& protocols, SummaryText& text) {
  for (const auto& [name, value] : protocols.items()) {
    const auto& interval = value.at("top1_interval");
    const auto range =
        fmt::format("(95 % interval {:.2f} to {:.2f})", percent(interval[0]), percent(interval[1]));
    text.line(name, fmt::format("{} {}",
                                text.strong(fmt::format("{:{}.2f} %", percent(value.at("top1")),
                                                        text.style().unicode ? 6 : 0)),
                                text.soft(range)));
  }
}

std::string curve_ends(const SummaryCurve& curve, const char* arrow) {
  auto ends = fmt::format("{:.{}f}", curve.values.front(), curve.digits);
  if (curve.values.size() > 1) {
    ends += fmt::format(" {} {:.{}f}", arrow, curve.values.back(), curve.digits);
  }
  return curve.unit.empty() ? ends : ends + " " + curve.unit;
}

void add_curve(const SummaryCurve& curve, SummaryText& text) {
  if (curve.values.empty()) return;
  const auto& style = text.style();
  if (!style.unicode) return text.line(curve.name, curve_ends(curve, "to"));
  const auto drawing = sparkline(curve.values, std::clamp(style.width - kBesideSparkline,
                                                          kShortestSparkline, kLongestSparkline));
  text.line(curve.name, fmt::format("{}{}{}", text.drawn(drawing), drawing.empty() ? "" : "  ",
                                    curve_ends(curve, "→")));
}

void add_information(const ordered_json& information, SummaryText& text) {
  if (information.is_null()) return;
  text.line(
      "knows",
      fmt::format("{} of {:.3f} nats about the class (mixed KSG)",
                  text.strong(fmt::format("{:.3f}", information.at("mixed_ksg").get<double>())),
                  information.at("label_entropy").get<double>()));
}

void add_time(const ordered_json& summary, SummaryText& text) {
  const auto& seconds = summary.at("seconds");
  const double waiting = seconds.at("waiting_for_data").get<double>() /
                         std::max(seconds.at("train").get<double>(), 1e-9);
  text.line(
      "time",
      fmt::format("{:.0f} s, {:.0f} samples/s while training, {:.1f} % of it waiting for data",
                  seconds.at("total").get<double>(), summary.at("images_per_second").get<double>(),
                  100 * waiting));
}

/// JSON knows no number that is not finite: null is one.
double number_or_nan(const ordered_json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

bool says(const ordered_json& line, const char* key, const std::string& text) {
  const auto found = line.find(key);
  return found != line.end() && *found == text;
}

void add_point(const ordered_json& line, const char* key, SummaryCurve& curve, double factor) {
  if (line["value"].contains(key))
    curve.values.push_back(factor * number_or_nan(line["value"][key]));
}

}  // namespace

std::vector<SummaryCurve> summary_curves(const std::filesystem::path& metrics,
                                         const std::string& protocol) {
  SummaryCurve loss{.name = "loss"};
  SummaryCurve bound{.name = "bound", .unit = "nats"};
  SummaryCurve accuracy{.name = "top1", .digits = 2, .unit = "%"};
  std::ifstream file(metrics);
  for (std::string text; std::getline(file, text);) {
    const auto line = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object() || !line.contains("value") || !line["value"].is_object()) continue;
    if (says(line, "split", "train") && says(line, "name", "epoch")) {
      add_point(line, "loss", loss, 1);
      add_point(line, "mi_bound", bound, 1);
    } else if (says(line, "split", "test") && says(line, "name", protocol)) {
      add_point(line, "top1", accuracy, 100);
    }
  }
  std::vector<SummaryCurve> curves = {std::move(loss), std::move(bound)};
  if (accuracy.values.size() > 1) curves.push_back(std::move(accuracy));
  std::erase_if(curves, [](const auto& curve) { return curve.values.empty(); });
  return curves;
}

std::string terminal_summary(const ordered_json& summary, const std::vector<SummaryCurve>& curves,
                             const TerminalStyle& style) {
  SummaryText text(style);
  add_accuracy(summary, text);
  add_protocols(summary.at("protocols"), text);
  for (const auto& curve : curves) add_curve(curve, text);
  add_information(summary.at("information"), text);
  add_time(summary, text);
  text.line("run", summary.at("run").get<std::string>());
  return text.finish();
}

}  // namespace projnce
