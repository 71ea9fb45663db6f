#pragma once
// For the sources of this folder.

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "projnce/distributed/rank_environment.h"

namespace projnce {

/// Where ranks leave each other notes before they are connected: a file, or a server of rank 0 or
/// of the launcher. The server listens on all interfaces and asks nobody for a name, so ranks of
/// one host should meet by a file.
c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment,
                                           std::chrono::milliseconds timeout);

/// The address of this host on the way to another, in digits. The host's own name is no help:
/// Debian gives it an address that no other host can reach.
std::string own_address_towards(const std::string& host, int port);

}  // namespace projnce
