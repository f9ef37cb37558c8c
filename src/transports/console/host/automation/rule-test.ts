import type { AutomationRuleTest } from "../../../../domain/automation/rules/contract.ts"
import type { StoredRule } from "../../../../domain/automation/rules/rule.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { TestStay } from "../../queries/test-stays.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { queryForm } from "../form-fields.ts"
import { badge, link, timeHtml } from "../page-parts.ts"
import { testStayFields } from "../test-stay-fields.ts"
import { AUTOMATION_PATH, stayUrl } from "../urls.ts"

export const ruleTestForm = (visit: SignedInVisit, { id }: StoredRule, stays: ReadonlyArray<TestStay>): Html =>
  queryForm(
    AUTOMATION_PATH,
    html`<input type="hidden" name="try" value="${id}">${testStayFields(visit, stays, "Choose an upcoming stay")}`,
    "Preview"
  )

const scheduledTimeText = (visit: SignedInVisit, { scheduled_at, timeliness }: AutomationRuleTest): Html => {
  if (scheduled_at === null) return nothing
  return timeliness === "due" ? html`now (due ${timeHtml(scheduled_at, visit)})` : timeHtml(scheduled_at, visit)
}

const successText = (visit: SignedInVisit, rule: StoredRule, result: AutomationRuleTest): Html => {
  const guest = link(stayUrl(result.stay_code), result.guest_name ?? result.stay_code)
  const timeText = scheduledTimeText(visit, result)
  return rule.definition.action === "review"
    ? html`<p>${badge("Would be done", "good")} ${guest}: review with ${rule.definition.score}/5 on ${channelName(result.channel_type)}, ${timeText}.</p>
`
    : html`<p>${badge("Would be sent", "good")} To ${guest} on ${channelName(result.channel_type)}, ${timeText}.</p>
`
}

export const ruleTestResult = (visit: SignedInVisit, rule: StoredRule, result: AutomationRuleTest): Html => {
  const { reason, text, scheduled_at } = result
  const resultText =
    reason === null
      ? successText(visit, rule, result)
      : html`<p>${badge("Would not be sent", "wait")} ${reason}${scheduled_at === null ? nothing : html` Due ${timeHtml(scheduled_at, visit)}.`}</p>
`
  return html`<div role="status">${resultText}${
    text === null
      ? nothing
      : html`<pre>${text}</pre>
`
  }</div>
`
}
