#include "projnce/report/terminal/terminal_summary.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/io/printable.h"
#include "projnce/report/page/former_names.h"
#include "projnce/report/page/run_data.h"

namespace projnce::report {

namespace {

std::string variable(const EnvironmentLookup& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : value;
}

/// Checks the first variable that is set, as the C library does.
bool locale_is_utf8(const EnvironmentLookup& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    auto locale = variable(environment, name);
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

}  // namespace

TerminalStyle terminal_style(int file, const EnvironmentLookup& environment) {
  TerminalStyle style;
  const auto terminal = variable(environment, "TERM");
  if (::isatty(file) == 0 || terminal.empty() || terminal == "dumb") return style;
  style.colors = variable(environment, "NO_COLOR").empty();
  style.unicode = locale_is_utf8(environment);
  winsize size = {};
  if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

namespace {

constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr size_t kMiddleBlock = 3;

double finite_mean(std::span<const double> values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    // Running mean, because a sum of huge values could overflow.
    sum += (value - sum) / ++count;
  }
  return count > 0 ? sum : std::numeric_limits<double>::quiet_NaN();
}

/// Returns at most `width` means over groups of adjacent values of nearly equal size.
std::vector<double> downsample(std::span<const double> values, size_t width) {
  const size_t count = std::min(values.size(), width);
  std::vector<double> means;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * values.size() / count;
    means.push_back(finite_mean(values.subspan(begin, (i + 1) * values.size() / count - begin)));
  }
  return means;
}

}  // namespace

std::string sparkline(std::span<const double> values, int width) {
  const auto points = downsample(values, static_cast<size_t>(std::max(width, 1)));
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double point : points) {
    if (std::isnan(point)) continue;
    low = std::min(low, point);
    high = std::max(high, point);
  }
  if (low > high) return {};
  std::string line;
  for (const double point : points) {
    // Halved, because the range could overflow.
    const double share = low < high ? (point / 2 - low / 2) / (high / 2 - low / 2) : 0;
    const auto level = low < high ? static_cast<size_t>(std::lround(7 * share)) : kMiddleBlock;
    line += std::isnan(point) ? " " : kBlocks.at(level);
  }
  return line;
}

namespace {

using nlohmann::ordered_json;

constexpr int kLongestSparkline = 60;
constexpr int kShortestSparkline = 8;
constexpr int kBesideSparkline = 34;  // columns for name and numbers

double percent(const ordered_json& share) {
  return 100 * share.get<double>();
}

/// Builds the lines of the summary.
class SummaryText {
 public:
  explicit SummaryText(const TerminalStyle& style) : style_(style) {}

  void line(const std::string& name, const std::string& text) {
    lines_.emplace_back(name, text);
    if (style_.unicode) name_width_ = std::max(name_width_, name.size());
  }

  std::string strong(const std::string& text) const { return colored("1", text); }
  std::string soft(const std::string& text) const { return colored("2", text); }
  std::string drawn(const std::string& text) const { return colored("36", text); }
  const TerminalStyle& style() const { return style_; }

  std::string finish() const {
    std::string all;
    for (const auto& [name, text] : lines_) {
      all += fmt::format("{} {}\n", soft(fmt::format("{:<{}}", name, name_width_)), text);
    }
    return all;
  }

 private:
  std::string colored(const char* code, const std::string& text) const {
    return style_.colors ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }

  TerminalStyle style_;
  size_t name_width_ = 9;  // fixed in plain style
  std::vector<std::pair<std::string, std::string>> lines_;
};

/// Describes the delivered epoch and why it was chosen.
std::string epoch_text(const ordered_json& delivered) {
  const auto epoch = delivered.at("epoch").get<int64_t>();
  if (!delivered.contains("validation")) return fmt::format("last epoch ({})", epoch);
  return fmt::format(
      "epoch {} of {}, best on {}", epoch, delivered.at("epochs").get<int64_t>(),
      counted(delivered.at("validation").at("samples").get<int64_t>(), "validation sample"));
}

/// Adds the accuracy of the delivered model, which other commands use too.
void add_delivered(const ordered_json& summary, SummaryText& text) {
  const auto& delivered = summary.at("delivered");
  text.line("accuracy",
            fmt::format("{} by {}, {}",
                        text.strong(fmt::format("{:.2f} %", percent(delivered.at("top1")))),
                        delivered.at("readout_text").get<std::string>(), epoch_text(delivered)));
  const auto& accuracy = summary.at("accuracy");
  if (accuracy.at("report") != "best-test-epoch") return;
  const bool best = accuracy.at("reported_epoch") == "best";
  text.line("paper",
            fmt::format(
                "{:.2f} % by the paper's rule: {}", percent(accuracy.at("reported")),
                best ? fmt::format("best test epoch ({})", accuracy.at("best_epoch").get<int64_t>())
                     : "last epoch, since the training data is noisy"));
}

void add_accuracy(const ordered_json& summary, SummaryText& text) {
  if (summary.contains("delivered")) return add_delivered(summary, text);
  const auto& accuracy = summary.at("accuracy");  // of an older version
  text.line("accuracy",
            fmt::format("{} (last epoch), best {:.2f} % (epoch {}), by {}",
                        text.strong(fmt::format("{:.2f} %", percent(accuracy.at("last")))),
                        percent(accuracy.at("best")), accuracy.at("best_epoch").get<int64_t>(),
                        present_protocol(summary.at("protocol").get<std::string>())));
}

void add_protocols(const ordered_json& protocols, SummaryText& text) {
  for (const auto& [name, value] : protocols.items()) {
    const auto& interval = value.at("top1_interval");
    const auto range =
        fmt::format("(95 % interval {:.2f} to {:.2f})", percent(interval[0]), percent(interval[1]));
    text.line(present_protocol(name),
              fmt::format("{} {}",
                          text.strong(fmt::format("{:{}.2f} %", percent(value.at("top1")),
                                                  text.style().unicode ? 6 : 0)),
                          text.soft(range)));
  }
}

/// Adds a warning about classes with few test samples.
void add_small_classes(const ordered_json& summary, SummaryText& text) {
  const auto found = summary.find("test_classes");
  if (found == summary.end()) return;
  const auto few = found->at("with_few_samples").get<int64_t>();
  if (few == 0) return;
  text.line("note",
            fmt::format("{} of {} {} fewer than {} test samples: {} accuracy is uncertain", few,
                        counted(summary.at("classes").get<int64_t>(), "class", "classes"),
                        few == 1 ? "has" : "have", found->at("few_below").get<int64_t>(),
                        few == 1 ? "its" : "their"));
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

/// The bound `key`. JSON has no infinity: null is the bound of a general form without a limit.
double bound_value(const ordered_json& bounds, const std::string& key) {
  const auto& value = bounds.at(key);
  return value.is_null() ? -std::numeric_limits<double>::infinity() : value.get<double>();
}

const char* remark_on(double bound) {
  return bound > 0 ? "" : ", not informative";
}

/// Formats the bound `key`: "1.73 ± 0.01".
std::string bound_text(const ordered_json& bounds, const std::string& key, bool unicode) {
  const auto value = fmt::format("{:.2f}", bound_value(bounds, key));
  const auto& se = bounds.at(key + "_se");
  if (se.is_null()) return value;
  return fmt::format("{} {} {:.2f}", value, unicode ? "±" : "+-", se.get<double>());
}

/// Adds the certified lower bounds on held-out rows. Other keys of older versions are not bounds.
void add_bounds(const ordered_json& information, SummaryText& text) {
  const auto bounds = information.value("bounds", ordered_json::object());
  if (!bounds.contains("mi_bound_class")) return;
  const bool unicode = text.style().unicode;
  const bool fitted = bounds.contains("mi_bound_class_fitted");
  const std::string key = fitted ? "mi_bound_class_fitted" : "mi_bound_class";
  text.line("I(Z;C)",
            fmt::format(">= {} nats (class form{}, {}), H(C) {:.2f}{}",
                        text.strong(bound_text(bounds, key, unicode)),
                        fitted ? ", fitted temperature" : "",
                        counted(bounds.at("rows").get<int64_t>(), "held-out row"),
                        bounds.at("entropy").get<double>(), remark_on(bound_value(bounds, key))));
  if (!bounds.contains("mi_bound_normalized")) return;
  text.line("pair form", fmt::format(">= {} nats normalized, {} as in ProjNCE{}",
                                     bound_text(bounds, "mi_bound_normalized", unicode),
                                     bound_text(bounds, "mi_bound", unicode),
                                     remark_on(bound_value(bounds, "mi_bound_normalized"))));
}

void add_information(const ordered_json& information, SummaryText& text) {
  if (information.is_null()) return;
  add_bounds(information, text);
  if (information.at("mixed_ksg").is_null()) {
    const auto reason = information.value("withheld", std::string("unknown reason"));
    return text.line("mixed KSG", fmt::format("no estimate: {}", reason));
  }
  text.line("mixed KSG", fmt::format("{:.3f} of {:.3f} nats (estimate)",
                                     information.at("mixed_ksg").get<double>(),
                                     information.at("label_entropy").get<double>()));
}

void add_time(const ordered_json& summary, SummaryText& text) {
  const auto& seconds = summary.at("seconds");
  const double waiting = seconds.at("waiting_for_data").get<double>() /
                         std::max(seconds.at("train").get<double>(), 1e-9);
  text.line(
      "time",
      fmt::format(
          "{:.0f} s, {:.0f} samples/s in training, {:.1f} % of training spent waiting for data",
          seconds.at("total").get<double>(), summary.at("images_per_second").get<double>(),
          100 * waiting));
}

/// Returns a column of metric_curves; empty if there is none.
std::vector<double> curve_values(const ordered_json& columns, const char* name, double factor) {
  std::vector<double> values;
  for (const auto& number : columns.value(name, ordered_json::array())) {
    values.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : factor * number.get<double>());
  }
  return values;
}

}  // namespace

std::vector<SummaryCurve> summary_curves(const std::filesystem::path& metrics,
                                         const std::string& protocol) {
  const auto metrics_json = metric_curves(metrics);
  std::vector<SummaryCurve> curves = {
      {.name = "loss", .values = curve_values(metrics_json["epochs"], "loss", 1)}};
  if (metrics_json["tests"].contains("information")) {
    const auto& columns = metrics_json["tests"]["information"];
    const bool fitted = columns.contains("mi_bound_class_fitted");
    auto bound = curve_values(columns, fitted ? "mi_bound_class_fitted" : "mi_bound_class", 1);
    if (bound.size() > 1) curves.push_back({"bound", std::move(bound), 2, "nats"});
  }
  const auto name = present_protocol(protocol);
  if (metrics_json["tests"].contains(name)) {
    auto accuracy = curve_values(metrics_json["tests"][name], "top1", 100);
    if (accuracy.size() > 1) curves.push_back({"top1", std::move(accuracy), 2, "%"});
  }
  std::erase_if(curves, [](const auto& curve) { return curve.values.empty(); });
  return curves;
}

std::string terminal_summary(const ordered_json& summary, const std::vector<SummaryCurve>& curves,
                             const TerminalStyle& style, const std::string& report) {
  SummaryText text(style);
  add_accuracy(summary, text);
  add_protocols(summary.at("protocols"), text);
  add_small_classes(summary, text);
  for (const auto& curve : curves) add_curve(curve, text);
  add_information(summary.at("information"), text);
  add_time(summary, text);
  text.line("run", io::printable(summary.at("run").get<std::string>()));
  if (!report.empty()) text.line("report", io::printable(report));
  return text.finish();
}

}  // namespace projnce::report
