#include "projnce/eval/protocol.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/core/names.h"

namespace projnce::eval {

namespace {

struct ProtocolRow {
  Protocol protocol;
  const char* name;
  const char* text;
};

constexpr ProtocolRow kProtocols[] = {
    {Protocol::kNearestCentroid, "nearest-centroid", "nearest centroid"},
    {Protocol::kLogits, "logits", "trained classifier"},
    {Protocol::kProjection, "projection", "learned class vectors"},
    {Protocol::kKnn, "knn", "k nearest neighbors"},
    {Protocol::kProbe, "probe", "linear probe"}};

const ProtocolRow& row_of(Protocol protocol) {
  return *std::find_if(std::begin(kProtocols), std::end(kProtocols),
                       [&](const auto& row) { return row.protocol == protocol; });
}

}  // namespace

std::string protocol_name(Protocol protocol) {
  return row_of(protocol).name;
}

std::string protocol_text(Protocol protocol) {
  return row_of(protocol).text;
}

Protocol protocol_by_name(const std::string& name) {
  if (name == kZeroShotName) return Protocol::kNearestCentroid;
  std::vector<std::string> names = {"auto", "paper", "all"};
  for (const auto& row : kProtocols) {
    if (name == row.name) return row.protocol;
    names.emplace_back(row.name);
  }
  fail_unknown("protocol", name, names);
}

Protocol default_readout(bool has_logits, bool has_learned_vectors) {
  if (has_logits) return Protocol::kLogits;
  return has_learned_vectors ? Protocol::kProjection : Protocol::kNearestCentroid;
}

std::vector<std::string> with_readout(const std::vector<std::string>& names,
                                      const std::string& readout) {
  std::vector<std::string> resolved;
  for (const auto& name : names) {
    if (name == "auto" || name == "all") resolved.push_back(readout);
    if (name != "auto") resolved.push_back(name);
  }
  return resolved;
}

std::vector<Protocol> choose_protocols(const std::vector<std::string>& names, bool has_logits,
                                       bool has_learned_vectors) {
  std::vector<Protocol> chosen;
  const auto add = [&](Protocol protocol) {
    if (std::find(chosen.begin(), chosen.end(), protocol) == chosen.end()) {
      chosen.push_back(protocol);
    }
  };
  for (const auto& name : names) {
    if (name == "paper") {
      add(default_readout(has_logits, /*has_learned_vectors=*/false));
      continue;
    }
    if (name == "auto" || name == "all") {
      add(default_readout(has_logits, has_learned_vectors));
      if (name == "auto") continue;
      add(Protocol::kNearestCentroid);
      if (has_learned_vectors) add(Protocol::kProjection);
      add(Protocol::kKnn);
      add(Protocol::kProbe);
      continue;
    }
    const auto protocol = protocol_by_name(name);
    if (protocol == Protocol::kLogits && !has_logits) {
      fail("protocol 'logits' does not apply: the loss trained no classifier for these classes");
    }
    if (protocol == Protocol::kProjection && !has_learned_vectors) {
      fail("protocol 'projection' does not apply: the loss learned no vectors for these classes");
    }
    add(protocol);
  }
  if (chosen.empty()) fail("the list of protocols is empty, expected at least one");
  return chosen;
}

bool needs_reference(const std::vector<Protocol>& protocols) {
  return std::any_of(protocols.begin(), protocols.end(), [](Protocol protocol) {
    return protocol == Protocol::kKnn || protocol == Protocol::kProbe;
  });
}

}  // namespace projnce::eval
