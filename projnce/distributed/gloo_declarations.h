#pragma once
// The Gloo declarations that c10d's ProcessGroupGloo.hpp needs to compile. Gloo is linked into
// torch, but torch's wheels do not ship Gloo's headers. projnce only holds pointers to these types
// and calls none of their functions, so declarations suffice and no vtable is emitted.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace rendezvous {
class Store {
 public:
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::vector<char>& data) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};
}  // namespace rendezvous

namespace transport {
class Device;
class UnboundBuffer;
}  // namespace transport

}  // namespace gloo
