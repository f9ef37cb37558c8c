import { dateInZone } from "../../../../contract/time.ts"
import type { RuleState, StoredRule } from "../../../../domain/automation/rules/rule.ts"
import { AUTOMATION_RULES_MAX, RULE_TEXT_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { RuleBookData } from "../../queries/RuleBook.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure } from "../form-fields.ts"
import { badge, formatDayRange, link, section, table } from "../page-parts.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH } from "../urls.ts"
import { findNeverSentReasons } from "./never-sent.ts"
import { RULE_KINDS } from "./rule-kinds.ts"
import { ruleText } from "./rule-text.ts"

/** The section that lists the kinds of new rules. */
export const NEW_RULE_ANCHOR = "new-rule"

const stateBadge = (state: RuleState): Html =>
  state === "active" ? badge("Active", "good") : badge(capitalize(state), "wait")

const capitalize = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

export const rulesSection = (visit: SignedInVisit, ruleBook: RuleBookData): Html =>
  section(
    "Rules",
    html`<div class="rules">${table(
      { empty: NO_RULES },
      [
        { label: "Rule", cell: ({ definition }) => html`<strong class="name">${definition.name}</strong>` },
        { label: "What it does", cell: (rule) => ruleCell(rule, ruleBook), onPhone: "detail" },
        { label: "Status", cell: (rule) => statusCell(visit, rule), onPhone: "side" },
        { label: "Actions", cell: (rule) => ruleActions(visit, rule), onPhone: "actions" }
      ],
      ruleBook.rules
    )}</div>${ruleBook.rules.length === AUTOMATION_RULES_MAX ? html`<p>${AUTOMATION_RULES_MAX} rules max.</p>` : nothing}`
  )

const NO_RULES = html`No rules yet. ${link(`#${NEW_RULE_ANCHOR}`, "Choose a first rule")}.`

const statusCell = ({ session }: SignedInVisit, { state, since }: StoredRule): Html => {
  const date = dateInZone(new Date(since), session.person.caller.timeZone)
  return html`${stateBadge(state)} <span class="soft since">since ${formatDayRange(date, date)}</span>`
}

const ruleCell = (rule: StoredRule, ruleBook: RuleBookData): Html => {
  const reasons = findNeverSentReasons(rule, ruleBook)
  return html`${ruleText(rule.definition, ruleBook.properties)}${ruleTextHtml(rule.definition)}${
    reasons.length === 0 ? nothing : html`<div>${badge("Would not be sent", "wait")} ${reasons.join(" ")}</div>`
  }`
}

const ruleTextHtml = (rule: StoredRule["definition"]): Html => {
  if (rule.action === "answer" || rule.action === "task") return nothing
  const isTruncated = Array.from(rule.text).length >= RULE_TEXT_SHOWN
  return html`<span class="soft quote">“${rule.text}${isTruncated ? " …" : ""}”</span>`
}

const ruleActions = (visit: SignedInVisit, { id, state, definition: { action, name } }: StoredRule): Html => {
  const switchForm =
    state === "paused"
      ? actionForm(visit, { action: "resume_rule", label: "Resume", subject: name, id, kind: "plain" })
      : actionForm(visit, { action: "pause_rule", label: "Pause", subject: name, id, kind: "plain" })
  const removeForm = actionForm(visit, {
    action: "remove_rule",
    label: "Delete rule",
    subject: name,
    id,
    kind: "danger"
  })
  const preview =
    action === "answer" ? link(`${KNOWLEDGE_PATH}?ask=`, "Test") : link(`${AUTOMATION_PATH}?try=${id}`, "Preview")
  return html`<div class="acts"><a class="button" href="${AUTOMATION_PATH}?edit=${id}" aria-label="Edit ${name}">Edit</a>${switchForm}</div><div class="acts">${preview}${disclosure("Delete…", removeForm)}</div>`
}

export const NEW_RULE_SECTION: Html = section(
  "New rule",
  html`<p class="soft">A preview shows the reservations of the rule before it starts.</p>
<ul>
${RULE_KINDS.map(
  ({ kind, label: kindLabel }) => html`<li>${link(`${AUTOMATION_PATH}?new=${kind}`, kindLabel)}</li>
`
)}</ul>
`,
  NEW_RULE_ANCHOR
)
