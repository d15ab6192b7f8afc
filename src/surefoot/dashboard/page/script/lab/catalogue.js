/** What can be chosen. Written by tools/lab_page.py from surefoot.lab.descent: change it there. */

export const MOST_PATHS = 4;

export const NUM_SAMPLES = 64;

export const OPTIMIZERS = {
  "SGD": {
    "title": "SGD",
    "fields": [
      { "name": "momentum", "title": "Momentum", "default": 0.0, "kind": "number" },
      { "name": "nesterov", "title": "Nesterov", "default": false, "kind": "switch" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "dampening", "title": "Dampening", "default": 0.0, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "RMSprop": {
    "title": "RMSprop",
    "fields": [
      { "name": "alpha", "title": "alpha", "default": 0.99, "kind": "number" },
      { "name": "momentum", "title": "Momentum", "default": 0.0, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "centered", "title": "Centered", "default": false, "kind": "switch" },
      { "name": "eps", "title": "eps", "default": 1e-08, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": true
  },
  "Adagrad": {
    "title": "Adagrad",
    "fields": [
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "lr_decay", "title": "Rate decay", "default": 0.0, "kind": "number" },
      { "name": "eps", "title": "eps", "default": 1e-10, "kind": "number" },
      { "name": "initial_accumulator_value", "title": "Initial accumulator", "default": 0.0, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": true
  },
  "Adam": {
    "title": "Adam",
    "fields": [
      { "name": "beta1", "title": "beta 1", "default": 0.9, "kind": "number" },
      { "name": "beta2", "title": "beta 2", "default": 0.999, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "amsgrad", "title": "AMSGrad", "default": false, "kind": "switch" },
      { "name": "eps", "title": "eps", "default": 1e-08, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": true
  },
  "AdamW": {
    "title": "AdamW",
    "fields": [
      { "name": "beta1", "title": "beta 1", "default": 0.9, "kind": "number" },
      { "name": "beta2", "title": "beta 2", "default": 0.999, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.01, "kind": "number" },
      { "name": "amsgrad", "title": "AMSGrad", "default": false, "kind": "switch" },
      { "name": "eps", "title": "eps", "default": 1e-08, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": true
  },
  "NAdam": {
    "title": "NAdam",
    "fields": [
      { "name": "beta1", "title": "beta 1", "default": 0.9, "kind": "number" },
      { "name": "beta2", "title": "beta 2", "default": 0.999, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "momentum_decay", "title": "Momentum decay", "default": 0.004, "kind": "number" },
      { "name": "eps", "title": "eps", "default": 1e-08, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": true
  },
  "RAdam": {
    "title": "RAdam",
    "fields": [
      { "name": "beta1", "title": "beta 1", "default": 0.9, "kind": "number" },
      { "name": "beta2", "title": "beta 2", "default": 0.999, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "eps", "title": "eps", "default": 1e-08, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "Adadelta": {
    "title": "Adadelta",
    "fields": [
      { "name": "rho", "title": "rho", "default": 0.9, "kind": "number" },
      { "name": "weight_decay", "title": "Weight decay", "default": 0.0, "kind": "number" },
      { "name": "eps", "title": "eps", "default": 1e-06, "kind": "number" }
    ],
    "rate": 1.0,
    "is_adaptive": false
  },
  "LBFGS": {
    "title": "L-BFGS",
    "fields": [
      { "name": "max_iter", "title": "Iterations a step", "default": 4, "kind": "count" },
      { "name": "history_size", "title": "History", "default": 100, "kind": "count" },
      { "name": "line_search", "title": "Strong Wolfe search", "default": false, "kind": "switch" }
    ],
    "rate": 1.0,
    "is_adaptive": false
  }
};

export const SCHEDULES = {
  "constant": {
    "title": "Constant",
    "fields": [],
    "rate": null,
    "is_adaptive": false
  },
  "step": {
    "title": "Steps",
    "fields": [
      { "name": "step_size", "title": "Every … updates", "default": 20, "kind": "count" },
      { "name": "gamma", "title": "Factor", "default": 0.5, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "exponential": {
    "title": "Exponential",
    "fields": [
      { "name": "decay", "title": "Factor an update", "default": 0.97, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "cosine": {
    "title": "Cosine",
    "fields": [
      { "name": "floor", "title": "Lowest share of the rate", "default": 0.0, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "warmup_cosine": {
    "title": "Warm-up, cosine",
    "fields": [
      { "name": "warmup", "title": "Warm-up updates", "default": 10, "kind": "count" },
      { "name": "floor", "title": "Lowest share of the rate", "default": 0.0, "kind": "number" }
    ],
    "rate": null,
    "is_adaptive": false
  },
  "one_cycle": {
    "title": "One cycle",
    "fields": [
      { "name": "pct_start", "title": "Share that rises", "default": 0.3, "kind": "number" },
      { "name": "cycle_momentum", "title": "Momentum too", "default": false, "kind": "switch" }
    ],
    "rate": null,
    "is_adaptive": false
  }
};

export const SHARED = [
  {
    "name": "surface",
    "title": "Surface",
    "default": "bowl",
    "choices": { "bowl": "Elongated bowl", "rosenbrock": "Rosenbrock's valley", "saddle": "Saddle", "plateau": "Plateau", "ravine": "Ravine" },
    "kind": "choice"
  },
  { "name": "steps", "title": "Updates", "default": 50, "kind": "count" },
  { "name": "seed", "title": "Seed", "default": 0, "kind": "count" },
  { "name": "spread", "title": "Spread of the samples", "default": 0.0, "kind": "number" }
];

export const START = [
  { "name": "w0", "title": "Start w0", "default": 0.0, "kind": "number" },
  { "name": "w1", "title": "Start w1", "default": 0.0, "kind": "number" }
];

export const PATH = [
  {
    "name": "optimizer",
    "title": "Optimizer",
    "default": "SGD",
    "choices": { "SGD": "SGD", "RMSprop": "RMSprop", "Adagrad": "Adagrad", "Adam": "Adam", "AdamW": "AdamW", "NAdam": "NAdam", "RAdam": "RAdam", "Adadelta": "Adadelta", "LBFGS": "L-BFGS" },
    "kind": "choice"
  },
  { "name": "rate", "title": "Learning rate", "default": 0.15, "kind": "number" },
  {
    "name": "schedule",
    "title": "Schedule",
    "default": "constant",
    "choices": { "constant": "Constant", "step": "Steps", "exponential": "Exponential", "cosine": "Cosine", "warmup_cosine": "Warm-up, cosine", "one_cycle": "One cycle" },
    "kind": "choice"
  },
  {
    "name": "noise",
    "title": "Gradient from",
    "default": "batch",
    "choices": { "batch": "Full batch", "mini": "Mini-batch", "single": "Single sample" },
    "kind": "choice"
  },
  { "name": "batch_size", "title": "Samples a batch", "default": 8, "kind": "count" },
  { "name": "forget_zero", "title": "Forget to zero", "default": false, "kind": "switch" },
  { "name": "accumulate", "title": "Accumulate", "default": 1, "kind": "count" },
  { "name": "divide", "title": "Divide by it", "default": true, "kind": "switch" },
  { "name": "clip_norm", "title": "Clip norm (0: off)", "default": 0.0, "kind": "number" }
];

export const SURFACES = {
  "bowl": {
    "name": "bowl",
    "title": "Elongated bowl",
    "formula": "w0**2 + 4 * w1**2",
    "about": "Four times as steep across as along: the rate must suit the steep direction, and the other one waits.",
    "low": [ -4.0, -3.0 ],
    "high": [ 4.0, 3.0 ],
    "minima": [
      [ 0.0, 0.0 ]
    ],
    "start": [ 3.0, 2.0 ],
    "levels": [ 0.1, 0.5, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0 ],
    "rate": 0.15,
    "adaptive_rate": 0.3,
    "spread": 4.0,
    "text": "w0² + 4·w1²"
  },
  "rosenbrock": {
    "name": "rosenbrock",
    "title": "Rosenbrock's valley",
    "formula": "(1 - w0)**2 + 100 * (w1 - w0**2)**2",
    "about": "A bent valley with steep walls. Finding it is easy; following its floor to the minimum at (1, 1) is not.",
    "low": [ -2.0, -1.0 ],
    "high": [ 2.0, 2.0 ],
    "minima": [
      [ 1.0, 1.0 ]
    ],
    "start": [ -1.2, 1.0 ],
    "levels": [ 0.1, 1.0, 5.0, 20.0, 100.0, 300.0, 1000.0, 2000.0 ],
    "rate": 0.001,
    "adaptive_rate": 0.05,
    "spread": 10.0,
    "text": "(1 - w0)² + 100·(w1 - w0²)²"
  },
  "saddle": {
    "name": "saddle",
    "title": "Saddle",
    "formula": "w0**2 + (w1**2 - 1)**2 / 4",
    "about": "Two minima, at (0, 1) and (0, -1), and a saddle between them at (0, 0), where the gradient is zero as well.",
    "low": [ -2.4, -1.8 ],
    "high": [ 2.4, 1.8 ],
    "minima": [
      [ 0.0, 1.0 ],
      [ 0.0, -1.0 ]
    ],
    "start": [ 2.0, 0.001 ],
    "levels": [ 0.02, 0.1, 0.2, 0.25, 0.35, 0.6, 1.0, 2.0, 4.0 ],
    "rate": 0.1,
    "adaptive_rate": 0.05,
    "spread": 0.5,
    "text": "w0² + (w1² - 1)² / 4"
  },
  "plateau": {
    "name": "plateau",
    "title": "Plateau",
    "formula": "(w0**2 + w1**2) / (1 + w0**2 + w1**2)",
    "about": "Nearly flat but for a hole: far from the minimum the gradient is tiny, though nothing is solved.",
    "low": [ -6.0, -4.5 ],
    "high": [ 6.0, 4.5 ],
    "minima": [
      [ 0.0, 0.0 ]
    ],
    "start": [ 4.0, 3.0 ],
    "levels": [ 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.94, 0.96, 0.97 ],
    "rate": 1.0,
    "adaptive_rate": 0.1,
    "spread": 0.02,
    "text": "(w0² + w1²) / (1 + w0² + w1²)"
  },
  "ravine": {
    "name": "ravine",
    "title": "Ravine",
    "formula": "10 * (w0 - w1)**2 + (w0 + w1)**2 / 10",
    "about": "A hundred times as steep across as along, and askew: a rate for each weight does not straighten it.",
    "low": [ -4.0, -3.0 ],
    "high": [ 4.0, 3.0 ],
    "minima": [
      [ 0.0, 0.0 ]
    ],
    "start": [ -2.5, -1.5 ],
    "levels": [ 0.1, 0.5, 2.0, 10.0, 30.0, 80.0, 160.0, 300.0 ],
    "rate": 0.045,
    "adaptive_rate": 0.1,
    "spread": 4.0,
    "text": "10·(w0 - w1)² + (w0 + w1)² / 10"
  }
};

export const LOSSES = {
  bowl: (w0, w1) => w0**2 + 4 * w1**2,
  rosenbrock: (w0, w1) => (1 - w0)**2 + 100 * (w1 - w0**2)**2,
  saddle: (w0, w1) => w0**2 + (w1**2 - 1)**2 / 4,
  plateau: (w0, w1) => (w0**2 + w1**2) / (1 + w0**2 + w1**2),
  ravine: (w0, w1) => 10 * (w0 - w1)**2 + (w0 + w1)**2 / 10,
};
