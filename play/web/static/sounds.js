// Short sounds made on the spot; none before the first touch or key, as browsers want it.

import { recall } from "./store.js";

let context = null;

const TUNES = {
  line: [[520, 0, 0.05]],
  computer: [[390, 0, 0.05]],
  box: [[523, 0, 0.08], [784, 0.08, 0.12]],
  win: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.22]],
  loss: [[392, 0, 0.15], [294, 0.15, 0.25]],
};

/** Play one of the tunes, if sound is on. */
export function play(name) {
  if (!recall("sound", true) || !navigator.userActivation?.hasBeenActive) return;
  context = context || new AudioContext();
  for (const [frequency, at, length] of TUNES[name]) {
    const tone = context.createOscillator(), gain = context.createGain();
    const begin = context.currentTime + at;
    tone.type = "triangle";
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0.12, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + length);
    tone.connect(gain).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}
