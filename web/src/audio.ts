/** Play button for audio; only one clip plays at a time. */
import { h } from "./dom";
import type { Clip } from "./model";
import { unpack8 } from "./packed";

let playing: HTMLAudioElement | null = null;

const seconds = (value: number): string => `${value.toFixed(1)}\u00a0s`;

/** "1.5 of 4.0 s" for a clip of a longer recording. */
const lengthText = (clip: Clip): string =>
  clip.whole > clip.seconds + 0.05 ? `${clip.seconds.toFixed(1)} of ${seconds(clip.whole)}` : seconds(clip.seconds);

export function playButton(clip: Clip, describe: string): HTMLElement {
  let audio: HTMLAudioElement | null = null;
  const sign = h("span", { "aria-hidden": "true" }, "▶");
  const button = h("button", { type: "button", class: "button play", "aria-pressed": "false", "aria-label": `Play ${describe}` },
    sign, ` ${lengthText(clip)}`);
  const show = (on: boolean): void => {
    sign.textContent = on ? "■" : "▶";
    button.setAttribute("aria-pressed", String(on));
  };
  const load = (): HTMLAudioElement => {
    const made = new Audio(URL.createObjectURL(new Blob([unpack8(clip.wav) as BlobPart], { type: "audio/wav" })));
    made.addEventListener("play", () => show(true));
    made.addEventListener("pause", () => show(false)); // also fires at the end
    return made;
  };
  button.addEventListener("click", () => {
    audio ??= load();
    if (!audio.paused) return audio.pause();
    playing?.pause();
    playing = audio;
    audio.currentTime = 0;
    audio.play().catch((error: Error) => {
      if (error.name !== "AbortError") sign.textContent = "✕"; // unsupported by the browser; AbortError only means that the next click paused it
    });
  });
  return button;
}
