#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/core/error.h"
#include "projnce/inference/export_run.h"

namespace projnce::app::export_command {

namespace {

const char* const kSummary = "a trained encoder for other programs: ONNX, safetensors";
const char* const kDetails =
    "  projnce export runs/photos --onnx photos.onnx\n"
    "  projnce export runs/photos --onnx photos.onnx --classes\n"
    "  projnce export runs/photos --safetensors photos.safetensors\n"
    "\n"
    "The ONNX file takes images on the scale 0..1, waveforms or vectors, and holds everything\n"
    "behind that: preprocessing, encoder, projection head, with --classes the classes' scores "
    "too.\n"
    "The safetensors file holds the encoder's weights alone; resnet18 has torchvision's names.\n"
    "docs/export.md shows how to load both.";

/// "image [batch, 3, 32, 32]", one after the other.
std::string port_list(const nlohmann::ordered_json& ports) {
  std::string text;
  for (const auto& [name, shape] : ports.items()) {
    std::string sides;
    for (const auto& side : shape) {
      sides +=
          (sides.empty() ? "" : ", ") + (side.is_string() ? side.get<std::string>() : side.dump());
    }
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", name, sides);
  }
  return text;
}

void print_lines(const nlohmann::ordered_json& result) {
  if (const auto onnx = result.find("onnx"); onnx != result.end()) {
    std::cout << fmt::format("{}: {} -> {}\n", onnx->at("file").get<std::string>(),
                             port_list(onnx->at("inputs")), port_list(onnx->at("outputs")));
  }
  if (const auto weights = result.find("safetensors"); weights != result.end()) {
    std::cout << fmt::format("{}: {} tensors, {} numbers\n", weights->at("file").get<std::string>(),
                             weights->at("tensors").get<int64_t>(),
                             weights->at("numbers").get<int64_t>());
  }
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  struct Arguments {
    inference::ExportRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "export", kSummary, kDetails);
  auto& request = arguments->request;
  command->add_option("RUN", request.run, "directory of the run")->required();
  auto* onnx = command->add_option("--onnx", request.onnx, "the ONNX file to write");
  command->add_option("--safetensors", request.safetensors, "the file of weights to write");
  command->add_flag("--classes", request.classes, "the ONNX file names classes as well")
      ->needs(onnx);
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    if (arguments->request.onnx.empty() && arguments->request.safetensors.empty()) {
      fail(Hint{"such as --onnx model.onnx or --safetensors encoder.safetensors"},
           "export needs --onnx FILE, --safetensors FILE or both");
    }
    const auto result = inference::export_run(arguments->request);
    arguments->json ? print_json(result) : print_lines(result);
  });
}

}  // namespace projnce::app::export_command
