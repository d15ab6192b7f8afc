/** Settings that show something, each with what to look at. */

export const PRESETS = [
  {
    title: "The bowl",
    look:
      "Four times as steep across as along: gradient descent with rate 0.15 is done with w1 at once, while w0 shrinks " +
      "to 0.7 of itself at each update.",
    state: { paths: [{ optimizer: "SGD" }] },
  },
  {
    title: "Forgot to zero",
    look:
      "Path 2 never clears: each update uses the sum of all gradients so far. It swings around the minimum and " +
      "never settles; a smaller rate only makes it swing more slowly.",
    state: { paths: [{ optimizer: "SGD", rate: 0.05 }, { optimizer: "SGD", rate: 0.05, forget_zero: true }] },
  },
  {
    title: "Accumulation without the division",
    look:
      "Divided by 4, accumulating gives the same path as one batch (1 and 2 lie on each other). Without the " +
      "division the gradient is a sum: path 3 runs at four times the rate and zigzags. At 0.07 it diverges.",
    state: {
      steps: 30,
      paths: [
        { optimizer: "SGD", rate: 0.06 },
        { optimizer: "SGD", rate: 0.06, accumulate: 4 },
        { optimizer: "SGD", rate: 0.06, accumulate: 4, divide: false },
      ],
    },
  },
  {
    title: "Rate too large",
    look:
      "Across, the curvature is 8, so that rates above 2/8 = 0.25 diverge: 0.24 zigzags in, 0.26 zigzags out. Just " +
      "below the limit is no good rate either: 0.15 is far ahead.",
    state: { steps: 40, paths: [0.02, 0.15, 0.24, 0.26].map((rate) => ({ optimizer: "SGD", rate })) },
  },
  {
    title: "Momentum in a ravine",
    look:
      "The walls limit the rate, and along the floor the gradient is a hundred times smaller. Plain descent creeps " +
      "there; momentum adds up what points the same way and cancels what alternates.",
    state: {
      surface: "ravine",
      steps: 120,
      paths: [
        { optimizer: "SGD", rate: 0.03 },
        { optimizer: "SGD", rate: 0.03, momentum: 0.8 },
        { optimizer: "SGD", rate: 0.03, momentum: 0.8, nesterov: true },
      ],
    },
  },
  {
    title: "Adam vs AdamW with decay",
    look:
      "0.3 is not the same decay for both. In Adam it is part of the gradient, and scaled with it: path 2 heads for " +
      "the minimum of the loss plus 0.15·|w|². AdamW takes rate × 0.3 off the weights beside its scaled gradient, " +
      "and ends where the two balance.",
    state: {
      surface: "rosenbrock",
      steps: 1000,
      paths: [
        { optimizer: "Adam", rate: 0.05 },
        { optimizer: "Adam", rate: 0.05, weight_decay: 0.3 },
        { optimizer: "AdamW", rate: 0.05, weight_decay: 0.3 },
      ],
    },
  },
  {
    title: "Single-sample noise",
    look:
      "The same rate on all samples, on 8 and on one. With a constant rate noise does not die out: the loss stops " +
      "falling at a level of its own. A rate that falls to zero (path 4) lets even single samples settle.",
    state: {
      steps: 200,
      paths: [
        { optimizer: "SGD", rate: 0.05 },
        { optimizer: "SGD", rate: 0.05, noise: "mini" },
        { optimizer: "SGD", rate: 0.05, noise: "single" },
        { optimizer: "SGD", rate: 0.05, noise: "single", schedule: "cosine" },
      ],
    },
  },
  {
    title: "Off a saddle",
    look:
      "Started a thousandth beside the ridge, plain descent slides down to the saddle and lingers, with a loss of " +
      "0.25 and a gradient of almost zero. Momentum is away after 25 updates instead of 67; Adam, which divides by " +
      "the gradient's size, never visits.",
    state: {
      surface: "saddle",
      steps: 150,
      paths: [{ optimizer: "SGD" }, { optimizer: "SGD", momentum: 0.9 }, { optimizer: "Adam" }],
    },
  },
];
