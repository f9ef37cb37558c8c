import type { AutomationRuleTrial } from "../../../../domain/automation/rules/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { ACTION_FIELD, FORM_KEY_FIELD, FORM_TOKEN_FIELD, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { actionForm } from "../form-fields.ts"
import { link, section, table, timeHtml } from "../page-parts.ts"
import { taskTypeText } from "../tasks/task-labels.ts"
import { stayUrl } from "../urls.ts"
import { CREATE_RULE_ACTION } from "./new-rule.ts"

type TrialStay = AutomationRuleTrial["planned"][number]

const OWN_FIELDS: ReadonlySet<string> = new Set([ACTION_FIELD, FORM_KEY_FIELD, FORM_TOKEN_FIELD])

/** Starts the rule exactly as it was tried. */
const startForm = (visit: SignedInVisit, form: SubmittedForm): Html => {
  const fields = Array.from(form).flatMap(([name, value]) =>
    OWN_FIELDS.has(name) ? [] : [html`<input type="hidden" name="${name}" value="${value}">`]
  )
  return actionForm(visit, { action: CREATE_RULE_ACTION, label: "Start rule", fields: html`${fields}` })
}

const guestCell = ({ stay_code, guest_name }: TrialStay): Html => link(stayUrl(stay_code), guest_name ?? stay_code)

const actionCell = ({ text, task }: TrialStay): Html => {
  if (task !== null) return html`${taskTypeText(task)}, ${task.expected_date} ${task.expected_time.slice(0, 5)}`
  return html`<span class="soft name">${text ?? ""}</span>`
}

const moreText = (count: number): Html =>
  count === 0
    ? nothing
    : html`<p>${count} more.</p>
`

/** Shows on which stays the rule would act, on which it would not and why, and the form that starts it. */
export const ruleTrialSection = (visit: SignedInVisit, form: SubmittedForm, trial: AutomationRuleTrial): Html =>
  section(
    "Before it starts",
    html`${
      trial.note === null
        ? nothing
        : html`<p>${trial.note}</p>
`
    }<h3>Would be done</h3>
${table(
  { empty: "Nothing yet. The rule acts on reservations that come later." },
  [
    {
      label: "When",
      cell: ({ scheduled_at }: TrialStay) => (scheduled_at === null ? "" : timeHtml(scheduled_at, visit))
    },
    { label: "Guest", cell: guestCell },
    { label: "Property", cell: ({ property_title }) => property_title ?? "Unassigned" },
    { label: "Channel", cell: ({ channel_type }) => channelName(channel_type) },
    { label: "What", cell: actionCell }
  ],
  trial.planned
)}${moreText(trial.more_planned)}<h3>Would never be done</h3>
${table(
  { empty: "None." },
  [
    { label: "Guest", cell: guestCell },
    { label: "Property", cell: ({ property_title }: TrialStay) => property_title ?? "Unassigned" },
    { label: "Why", cell: ({ reason }) => reason ?? "" }
  ],
  trial.never
)}${moreText(trial.more_never)}${
  trial.more_stays === 0
    ? nothing
    : html`<p>${trial.more_stays} later stays are not shown.</p>
`
}${startForm(visit, form)}`,
    "trial"
  )
