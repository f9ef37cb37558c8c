import type { RuleState, StoredRule } from "../../../../domain/automation/rules/rule.ts"
import { AUTOMATION_RULES_MAX, RULE_TEXT_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { RuleBookData } from "../../queries/RuleBook.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure } from "../form-fields.ts"
import { badge, link, section, table, timeHtml, toWords } from "../page-parts.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH } from "../urls.ts"
import { RULE_KINDS } from "./rule-kinds.ts"
import { ruleText } from "./rule-text.ts"

const stateBadge = (state: RuleState): Html =>
  state === "active" ? badge("acts", "good") : badge(toWords(state), "wait")

export const rulesSection = (visit: SignedInVisit, { rules, properties }: RuleBookData): Html =>
  section(
    "Rules",
    html`${table(
      { empty: "There are no rules: nothing is done by itself." },
      [
        { label: "Rule", cell: ({ definition }) => html`<strong class="name">${definition.name}</strong>` },
        {
          label: "What it does",
          cell: ({ definition }) => html`${ruleText(definition, properties)}${ruleTextHtml(definition)}`
        },
        {
          label: "Stands",
          cell: ({ state }) => stateBadge(state)
        },
        { label: "Since", cell: ({ since }) => timeHtml(since, visit) },
        { label: "Change", cell: (rule) => ruleActions(visit, rule) }
      ],
      rules
    )}${rules.length === AUTOMATION_RULES_MAX ? html`<p>No more than ${AUTOMATION_RULES_MAX} rules are possible.</p>` : nothing}`
  )

const ruleTextHtml = (rule: StoredRule["definition"]): Html => {
  if (rule.action === "answer" || rule.action === "task") return nothing
  const isTruncated = Array.from(rule.text).length >= RULE_TEXT_SHOWN
  return html`<br><span class="soft name">“${rule.text}${isTruncated ? " …" : ""}”</span>`
}

const ruleActions = (visit: SignedInVisit, { id, state, definition: { action, name } }: StoredRule): Html => {
  const switchForm =
    state === "paused"
      ? actionForm(visit, { action: "resume_rule", label: "Resume", subject: name, id, kind: "plain" })
      : actionForm(visit, { action: "pause_rule", label: "Pause", subject: name, id, kind: "plain" })
  const removeForm = actionForm(visit, {
    action: "remove_rule",
    label: "Remove the rule",
    subject: name,
    id,
    kind: "danger"
  })
  return html`<div class="acts">${action === "answer" ? link(`${KNOWLEDGE_PATH}?ask=`, "Try a question") : link(`${AUTOMATION_PATH}?try=${id}`, "Try on a stay")} ${link(`${AUTOMATION_PATH}?edit=${id}`, "Edit")}${switchForm}</div>${disclosure("Remove…", removeForm)}`
}

export const NEW_RULE_SECTION: Html = section(
  "Make a rule",
  html`<p class="soft">Before you start a rule, the page shows the stays on which it would act. You can edit the rule later.</p>
<ul>
${RULE_KINDS.map(
  ({ kind, label: kindLabel }) => html`<li>${link(`${AUTOMATION_PATH}?new=${kind}`, kindLabel)}</li>
`
)}</ul>
`
)
