/** Questions with one right answer each, which is told with its reason. */
import { make, replace, say } from "../dom.js";
import { inline } from "./text.js";

const LETTERS = "abcdef";

export function quiz(questions) {
  if (!questions.length) return null;
  const score = make("p", { class: "quiet-text", role: "status" });
  const right = new Map(); // by question
  const tell = () => {
    const num = [...right.values()].filter(Boolean).length;
    score.textContent = right.size ? `${num} of ${right.size} right, ${questions.length - right.size} to go.` : "";
    if (right.size === questions.length) score.textContent = `${num} of ${questions.length} right.`;
  };
  return make(
    "section",
    { class: "quiz", "aria-label": "Questions" },
    make("h2", {}, "Questions"),
    questions.map((question, number) =>
      form(question, number, (isRight) => {
        if (!right.has(number)) right.set(number, isRight); // the first answer counts
        tell();
      }),
    ),
    score,
  );
}

function form(question, number, answered) {
  const inputs = question.choices.map((_, i) => make("input", { type: "radio", name: `question-${number}`, value: i }));
  const problem = make("p", { class: "quiet-text", role: "status" });
  const answer = make("div", { class: "answer-told" });
  const labels = question.choices.map((text, i) =>
    make("label", { class: "quiz-choice" }, inputs[i], make("span", {}, `${LETTERS[i]}) `, inline(text))),
  );
  const reveal = (chosen) => {
    const isRight = chosen === question.right;
    labels.forEach((label, i) => {
      label.classList.toggle("is-right", i === question.right);
      label.classList.toggle("is-wrong", i === chosen && !isRight);
    });
    const told = isRight ? "Right." : `${chosen === null ? "" : "No. "}${LETTERS[question.right]}) is right.`;
    replace(answer, make("p", {}, make("strong", {}, told), " ", inline(question.reason)), proof(question.proof));
    replace(problem);
    say(told);
    answered(isRight);
  };
  const show = make("button", { type: "button", class: "quiet", on: { click: () => reveal(null) } }, "Show the answer");
  const made = make(
    "form",
    { class: "question card" },
    make("fieldset", {}, make("legend", {}, `${number + 1}. `, inline(question.text)), labels),
    make("div", { class: "quiz-tools" }, make("button", { type: "submit" }, "Check"), show, problem),
    answer,
  );
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = inputs.findIndex((input) => input.checked);
    if (chosen < 0) replace(problem, "Choose one first.");
    else reveal(chosen);
  });
  return made;
}

function proof(code) {
  if (!code) return null;
  return make(
    "details",
    {},
    make("summary", {}, "A program that holds as long as this is true"),
    make("pre", { tabindex: "0" }, make("code", {}, code)),
  );
}
