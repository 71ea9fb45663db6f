#include "projnce/core/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainLineSeconds = 10;
constexpr int kBarWidth = 24;

double seconds_between(auto from, auto to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string bar(double fraction) {
  const int filled = static_cast<int>(std::lround(fraction * kBarWidth));
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

}  // namespace

std::string format_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::string label, int64_t total, std::string unit)
    : label_(std::move(label)),
      total_(total),
      unit_(std::move(unit)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  finish();
}

void Progress::update(int64_t done, const std::string& note) {
  const auto now = Clock::now();
  const bool first = first_done_ < 0;
  if (first) {
    first_done_ = done;
    start_ = now;
  }
  const double interval = terminal_ ? kRedrawSeconds : kPlainLineSeconds;
  // On a terminal, draw the first update at once: the next may take long.
  const bool due = terminal_ && (first || done == total_);
  if (seconds_between(last_, now) < interval && !due) return;
  last_ = now;
  const auto text = line(done, note, seconds_between(start_, now));
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (terminal_ && drawn_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
  drawn_ = false;
}

std::string Progress::line(int64_t done, const std::string& note, double seconds) const {
  const double fraction = total_ > 0 ? std::clamp(double(done) / double(total_), 0.0, 1.0) : 1.0;
  auto text = terminal_ ? fmt::format("{} {} {:3.0f} %", label_, bar(fraction), 100 * fraction)
                        : fmt::format("{}: {} of {}", label_, done, total_);
  const auto processed = static_cast<double>(done - first_done_);
  if (processed > 0 && seconds > 0) {
    const double rate = processed / seconds;
    text += fmt::format("  {:.{}f} {}/s, {} left", rate, rate < 10 ? 1 : 0, unit_,
                        format_duration(double(total_ - done) / rate));
  }
  return note.empty() ? text : text + "  " + note;
}

}  // namespace projnce
