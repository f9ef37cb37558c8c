import { CONFLICTING_STAYS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import type { MovedStay } from "../../queries/StayMoves.ts"
import type { SignedInVisit } from "../../visit.ts"
import { fingerprint } from "../api-operations.ts"
import { actionForm } from "../form-fields.ts"
import { formatDayRange } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { guestLabel } from "../stay/stay-labels.ts"

/** Returns `Chloé Martin, 26–28 Dec 2026; Bea Costa, 28–30 Dec 2026`. */
export const describeStays = (stays: OfferedProperty["stays"]): string =>
  [
    ...stays
      .slice(0, CONFLICTING_STAYS_MAX)
      .map((stay) => `${guestLabel(stay)}, ${formatDayRange(stay.check_in_date, stay.check_out_date)}`),
    ...(stays.length > CONFLICTING_STAYS_MAX ? ["and others"] : [])
  ].join("; ")

/** A request holds no nights, so it moves nobody. */
export const needsConfirmation = (stay: MovedStay, target: OfferedProperty): boolean =>
  stay.property_id !== target.id && stay.status === "accepted" && target.stays.length + target.closed > 0

/** A confirmation is for the conflicts that it showed. */
export const fingerprintConflicts = ({ id, stays, closed }: OfferedProperty): string =>
  fingerprint([id, closed > 0, ...stays.map(({ stay_code }) => stay_code)].join(" "))

export const confirmationOf = (
  visit: SignedInVisit,
  stay: MovedStay,
  target: OfferedProperty,
  action: string
): Html => {
  const [name, { stays, closed, title }] = [guestLabel(stay), target]
  const fields = {
    stay: stay.stay_code,
    property_id: String(target.id),
    check_in_date: stay.check_in_date,
    check_out_date: stay.check_out_date,
    confirmed: fingerprintConflicts(target)
  }
  const hiddenFields = Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`
  )
  return html`<section class="confirmation" role="alertdialog" aria-labelledby="confirmation-title" aria-describedby="confirmation-text">
<h2 id="confirmation-title">Move ${name} to ${title}?</h2>
<div id="confirmation-text"><p>${name} stays ${formatDayRange(stay.check_in_date, stay.check_out_date)}.</p>
${stays.length === 0 ? nothing : html`<p>In the way: <strong>${describeStays(stays)}</strong>. ${stays.length === 1 ? "This reservation becomes" : "These reservations become"} unassigned.</p>`}${closed === 0 ? nothing : html`<p>You blocked ${closed} of these nights.</p>`}</div>
<div class="acts">${actionForm(visit, { action, label: stays.length === 0 ? "Move" : "Move and unassign", fields: html`${hiddenFields}` })}<a class="button" href="${currentUrlWith(visit)}" data-cancel>Cancel</a></div>
</section>
`
}
