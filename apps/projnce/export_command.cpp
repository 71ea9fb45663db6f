#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/core/error.h"
#include "projnce/inference/export_run.h"

namespace projnce::app::export_command {

namespace {

const char* const kSummary = "export a trained encoder to ONNX or safetensors";
const char* const kDetails =
    "  projnce export runs/photos --onnx photos.onnx\n"
    "  projnce export runs/photos --onnx photos.onnx --classes\n"
    "  projnce export runs/photos --safetensors photos.safetensors\n"
    "\n"
    "The ONNX model takes images scaled to [0, 1], waveforms or vectors, and includes the\n"
    "preprocessing, encoder and projection head; with --classes also the class scores.\n"
    "The safetensors file holds only the encoder weights; resnet18 uses torchvision's names.\n"
    "docs/export.md shows how to load both.";

/// Lists names and shapes: "image [batch, 3, 32, 32], ...".
std::string format_ports(const nlohmann::ordered_json& ports) {
  std::string text;
  for (const auto& [name, shape] : ports.items()) {
    std::string dims;
    for (const auto& dim : shape) {
      dims += (dims.empty() ? "" : ", ") + (dim.is_string() ? dim.get<std::string>() : dim.dump());
    }
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", name, dims);
  }
  return text;
}

void print_result(const nlohmann::ordered_json& result) {
  if (const auto onnx = result.find("onnx"); onnx != result.end()) {
    std::cout << fmt::format("{}: {} -> {}\n", onnx->at("file").get<std::string>(),
                             format_ports(onnx->at("inputs")), format_ports(onnx->at("outputs")));
  }
  if (const auto weights = result.find("safetensors"); weights != result.end()) {
    std::cout << fmt::format("{}: {} tensors, {} values\n", weights->at("file").get<std::string>(),
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
  auto* onnx = command->add_option("--onnx", request.onnx, "ONNX file to write");
  command->add_option("--safetensors", request.safetensors, "safetensors file to write");
  command->add_flag("--classes", request.classes, "include class scores in the ONNX model")
      ->needs(onnx);
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    if (arguments->request.onnx.empty() && arguments->request.safetensors.empty()) {
      fail(Hint{"for example: --onnx model.onnx, or --safetensors encoder.safetensors"},
           "export requires --onnx FILE, --safetensors FILE or both");
    }
    const auto result = inference::export_run(arguments->request);
    arguments->json ? print_json(result) : print_result(result);
  });
}

}  // namespace projnce::app::export_command
