import type { TriedRule } from "../../../../domain/automation/rules/HostRules.ts"
import type { KeptRule } from "../../../../domain/automation/rules/rule.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { TrialStay } from "../../queries/trial-stays.ts"
import type { SignedInVisit } from "../../visit.ts"
import { AUTOMATION_PATH, stayAddress } from "../addresses.ts"
import { channelWords } from "../channel-words.ts"
import { lookingForm } from "../fields.ts"
import { badge, link, timeOf } from "../parts.ts"
import { trialStayFields } from "../trial.ts"

// A rule is tried on a real stay: what would be said to whom and when, or why nothing would be. Nothing is sent.

export const tryForm = (visit: SignedInVisit, { id }: KeptRule, stays: ReadonlyArray<TrialStay>): Html =>
  lookingForm(
    AUTOMATION_PATH,
    html`<input type="hidden" name="try" value="${id}">${trialStayFields(visit, stays, "choose one that comes next")}`,
    "See what it would do"
  )

const whenOf = (visit: SignedInVisit, { scheduled_at, timeliness }: TriedRule): Html => {
  if (scheduled_at === null) return nothing
  return timeliness === "due"
    ? html`now: its time was ${timeOf(scheduled_at, visit)}`
    : html`at ${timeOf(scheduled_at, visit)}`
}

const doneOf = (visit: SignedInVisit, rule: KeptRule, tried: TriedRule): Html => {
  const guest = link(stayAddress(tried.stay_code), tried.guest_name ?? tried.stay_code)
  const when = whenOf(visit, tried)
  return rule.definition.action === "review"
    ? html`<p>${badge("would be done", "good")} ${guest} would be reviewed with ${rule.definition.score} of 5 at ${channelWords(tried.channel_type)}, ${when}.</p>
`
    : html`<p>${badge("would be sent", "good")} ${guest} would get this by ${channelWords(tried.channel_type)}, ${when}.</p>
`
}

export const triedRule = (visit: SignedInVisit, rule: KeptRule, tried: TriedRule): Html => {
  const { reason, text, scheduled_at } = tried
  const said =
    reason === null
      ? doneOf(visit, rule, tried)
      : html`<p>${badge("nothing would be done", "wait")} ${reason}${scheduled_at === null ? nothing : html` Its time is ${timeOf(scheduled_at, visit)}.`}</p>
`
  return html`<div role="status">${said}${
    text === null
      ? nothing
      : html`<pre>${text}</pre>
`
  }</div>
`
}
