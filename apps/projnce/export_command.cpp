#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/core/counted.h"
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

using nlohmann::ordered_json;

/// Returns {"image": ["batch", 3, 32, 32], ...}.
ordered_json ports_json(const std::vector<onnx::OnnxPort>& ports) {
  auto json = ordered_json::object();
  for (const auto& port : ports) {
    auto shape = ordered_json::array({"batch"});
    for (const auto size : port.shape) shape.push_back(size);
    json[port.name] = shape;
  }
  return json;
}

ordered_json to_json(const inference::ExportResult& result) {
  auto json = ordered_json::object();
  if (const auto& onnx = result.onnx) {
    json["onnx"] = {{"file", onnx->file.string()},
                    {"inputs", ports_json(onnx->inputs)},
                    {"outputs", ports_json(onnx->outputs)}};
  }
  if (const auto& weights = result.safetensors) {
    json["safetensors"] = {{"file", weights->file.string()},
                           {"tensors", weights->tensors},
                           {"numbers", weights->numbers}};
  }
  return json;
}

/// Lists names and shapes: "image [batch, 3, 32, 32], ...".
std::string format_ports(const std::vector<onnx::OnnxPort>& ports) {
  std::string text;
  for (const auto& port : ports) {
    std::string dims = "batch";
    for (const auto size : port.shape) dims += fmt::format(", {}", size);
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", port.name, dims);
  }
  return text;
}

void print_result(const inference::ExportResult& result) {
  if (const auto& onnx = result.onnx) {
    std::cout << fmt::format("{}: {} -> {}\n", onnx->file.string(), format_ports(onnx->inputs),
                             format_ports(onnx->outputs));
  }
  if (const auto& weights = result.safetensors) {
    std::cout << fmt::format("{}: {}, {}\n", weights->file.string(),
                             counted(weights->tensors, "tensor"),
                             counted(weights->numbers, "value"));
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
    arguments->json ? print_json(to_json(result)) : print_result(result);
  });
}

}  // namespace projnce::app::export_command
