import type { Paper, Scene } from "./scene";
import type { View } from "./view";

/** Draws a scene on its own canvas. */
export interface Renderer {
  readonly canvas: HTMLCanvasElement;
  /** "webgl" or "canvas". */
  readonly kind: string;
  setScene(scene: Scene): void;
  /** `ratio`: device pixels per CSS pixel; `diameter`: diameter of a point of base size. */
  draw(view: View, ratio: number, diameter: number, paper: Paper): void;
  destroy(): void;
}

const VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 look;
uniform vec4 view;
uniform float diameter;
flat out vec3 color;
flat out float width;
void main() {
  gl_Position = vec4((place - view.xy) * view.zw, 0.0, 1.0);
  width = diameter * look.a * (255.0 / 16.0) + 1.0;
  gl_PointSize = width;
  color = look.rgb;
}`;

// Antialiasing: the alpha of an edge pixel is the fraction covered by the disc.
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec3 color;
flat in float width;
uniform float opacity;
out vec4 result;
void main() {
  float away = distance(gl_PointCoord, vec2(0.5)) * width;
  float cover = clamp(width * 0.5 - away, 0.0, 1.0);
  if (cover <= 0.0) discard;
  result = vec4(color, cover * opacity);
}`;

function shader(gl: WebGL2RenderingContext, type: number, source: string): WebGLShader {
  const made = gl.createShader(type)!;
  gl.shaderSource(made, source);
  gl.compileShader(made);
  return made;
}

function program(gl: WebGL2RenderingContext): WebGLProgram | null {
  const made = gl.createProgram()!;
  gl.attachShader(made, shader(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(made, shader(gl, gl.FRAGMENT_SHADER, FRAGMENT));
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) ? made : null;
}

class GlRenderer implements Renderer {
  readonly kind = "webgl";
  private count = 0;
  private readonly places: WebGLBuffer;
  private readonly looks: WebGLBuffer;
  private readonly at: Record<"view" | "diameter" | "opacity", WebGLUniformLocation | null>;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
    linked: WebGLProgram,
  ) {
    this.places = gl.createBuffer()!;
    this.looks = gl.createBuffer()!;
    this.at = {
      view: gl.getUniformLocation(linked, "view"),
      diameter: gl.getUniformLocation(linked, "diameter"),
      opacity: gl.getUniformLocation(linked, "opacity"),
    };
    gl.useProgram(linked);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.UNSIGNED_SHORT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.looks);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  setScene(scene: Scene): void {
    const gl = this.gl;
    const places = new Uint16Array(2 * scene.count);
    for (let i = 0; i < scene.count; ++i) {
      places[2 * i] = scene.x[i]!;
      places[2 * i + 1] = scene.y[i]!;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.looks);
    gl.bufferData(gl.ARRAY_BUFFER, scene.look.subarray(0, 4 * scene.count), gl.STATIC_DRAW);
    this.count = scene.count;
  }

  draw(view: View, ratio: number, diameter: number, paper: Paper): void {
    const gl = this.gl;
    const { width, height } = this.canvas;
    const scale = 2 * view.scale * ratio;
    gl.viewport(0, 0, width, height);
    const [red, green, blue] = paper.background;
    gl.clearColor(red / 255, green / 255, blue / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform4f(this.at.view, view.x, view.y, scale / width, scale / height);
    gl.uniform1f(this.at.diameter, diameter * ratio);
    gl.uniform1f(this.at.opacity, paper.opacity);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  destroy(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** Software renderers. Their cost is per point, not per pixel. */
const SOFTWARE_RENDERER = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Name of the renderer. Some browsers expose it only through an extension that is deprecated in others. */
function rendererName(gl: WebGL2RenderingContext): string {
  const plain = String(gl.getParameter(gl.RENDERER));
  if (plain !== "WebKit WebGL") return plain;
  const more = gl.getExtension("WEBGL_debug_renderer_info");
  return more ? String(gl.getParameter(more.UNMASKED_RENDERER_WEBGL)) : plain;
}

/**
 * Returns a WebGL2 renderer, or null without a GPU: FlatRenderer is then three times as fast as software WebGL.
 */
export function glRenderer(): Renderer | null {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", {
    alpha: false,
    antialias: false,
    depth: false,
    powerPreference: "low-power",
    failIfMajorPerformanceCaveat: true,
  });
  if (!gl || SOFTWARE_RENDERER.test(rendererName(gl))) return null;
  const linked = program(gl);
  return linked ? new GlRenderer(canvas, gl, linked) : null;
}
