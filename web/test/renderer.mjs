/** Runs before the page's script: disables WebGL, or makes its software renderer look like a GPU. */
export function chooseRenderer(kind) {
  const getContext = HTMLCanvasElement.prototype.getContext;
  const getParameter = WebGL2RenderingContext.prototype.getParameter;
  HTMLCanvasElement.prototype.getContext = function (type, options) {
    return type === "webgl2" && kind !== "webgl" ? null : getContext.call(this, type, options);
  };
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    return name === this.RENDERER && kind === "webgl" ? "a card" : getParameter.call(this, name);
  };
}
