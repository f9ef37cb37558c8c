import type { AutomationRuleTrial } from "../../../../domain/automation/rules/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { ACTION_FIELD, FORM_KEY_FIELD, FORM_TOKEN_FIELD, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { actionForm } from "../form-fields.ts"
import { link, pluralize, section, table, timeHtml } from "../page-parts.ts"
import { taskTypeText } from "../tasks/task-labels.ts"
import { stayUrl } from "../urls.ts"
import { CREATE_RULE_ACTION } from "./new-rule.ts"

type TrialStay = AutomationRuleTrial["planned"][number]

const FORM_FIELDS: ReadonlySet<string> = new Set([ACTION_FIELD, FORM_KEY_FIELD, FORM_TOKEN_FIELD])

/** The hidden fields repeat the trial, so that exactly this rule starts. */
export const startRuleForm = (visit: SignedInVisit, form: SubmittedForm): Html => {
  const fields = Array.from(form).flatMap(([name, value]) =>
    FORM_FIELDS.has(name) ? [] : [html`<input type="hidden" name="${name}" value="${value}">`]
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
    : html`<p>And ${count} more.</p>
`

/** Returns what the rule would do, and would never do, on current reservations. `footer` has the next step. */
export const ruleTrialSection = (visit: SignedInVisit, trial: AutomationRuleTrial, footer: Html): Html =>
  section(
    "Preview",
    html`${
      trial.note === null
        ? nothing
        : html`<p>${trial.note}</p>
`
    }<h3>Planned</h3>
${table(
  { empty: "No current reservation. The rule applies to later ones." },
  [
    { label: "Guest", cell: guestCell },
    {
      label: "Time",
      cell: ({ scheduled_at }: TrialStay) => (scheduled_at === null ? "" : timeHtml(scheduled_at, visit)),
      onPhone: "side"
    },
    { label: "Property", cell: ({ property_title }) => property_title ?? "Unassigned", onPhone: "detail" },
    { label: "Channel", cell: ({ channel_type }) => channelName(channel_type), onPhone: "detail" },
    { label: "Action", cell: actionCell, onPhone: "detail" }
  ],
  trial.planned
)}${moreText(trial.more_planned)}<h3>Would not be sent</h3>
${table(
  { empty: "None." },
  [
    { label: "Guest", cell: guestCell },
    {
      label: "Property",
      cell: ({ property_title }: TrialStay) => property_title ?? "Unassigned",
      onPhone: "detail"
    },
    { label: "Reason", cell: ({ reason }) => reason ?? "", onPhone: "detail" }
  ],
  trial.never
)}${moreText(trial.more_never)}${
  trial.more_stays === 0
    ? nothing
    : html`<p>Not in this preview: ${pluralize(trial.more_stays, "later stay")}.</p>
`
}${footer}`,
    "trial"
  )
