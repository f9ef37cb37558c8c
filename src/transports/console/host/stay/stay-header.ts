import { daysInRange } from "../../../../contract/time.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { actionForm } from "../form-fields.ts"
import { badge, formatDayRange, pluralize } from "../page-parts.ts"
import { bookingSourceLabel, stayBadge } from "./stay-labels.ts"
import { propertyTitle, type StayView } from "./stay-view.ts"

const listCount = (count: number, singular: string, plural?: string): ReadonlyArray<string> =>
  count === 0 ? [] : [pluralize(count, singular, plural)]

export const guestCountText = ({ stay }: StayView): string => {
  const children = stay.number_of_children
  return [
    ...listCount(stay.number_of_guests, "guest"),
    ...(children === 0 ? [] : [`of them ${pluralize(children, "child", "children")}`]),
    ...listCount(stay.number_of_infants, "infant"),
    ...listCount(stay.number_of_pets, "pet")
  ].join(", ")
}

/** What a host wants to know first, in one line. */
export const stayHeader = (view: StayView): Html => {
  const { stay } = view
  const { check_in_date, check_out_date, custom_channel, channel_type, tags } = stay
  const nights = pluralize(daysInRange(check_in_date, check_out_date) - 1, "night")
  const facts = [
    html`${propertyTitle(view) ?? badge("Unassigned", "wait")}`,
    html`${formatDayRange(check_in_date, check_out_date)} (${nights})`,
    html`${guestCountText(view)}`,
    html`${custom_channel?.name ?? bookingSourceLabel(channel_type)}`,
    html`<span class="soft">${stay.stay_code}</span>`
  ]
  return html`<div class="headline">${stayBadge(stay)}${tags.map((tag) => html` ${badge(tag)}`)}<ul>${facts.map((each) => html`<li>${each}</li>`)}</ul></div>
`
}

interface ArrivalButton {
  readonly to: "checkin_pending" | "in_house" | "stay_completed"
  readonly label: string
  readonly isMain: boolean
}

/** A guest can check in from the check-in date on, and check out once checked in. */
const listArrivalButtons = ({ stay, today }: StayView): ReadonlyArray<ArrivalButton> => {
  if (stay.status !== "accepted") return []
  switch (stay.stay_status) {
    case "checkin_pending":
      return today < stay.check_in_date ? [] : [{ to: "in_house", label: "Check in", isMain: true }]
    case "in_house":
      return [
        { to: "stay_completed", label: "Check out", isMain: today >= stay.check_out_date },
        { to: "checkin_pending", label: "Undo check-in", isMain: false }
      ]
    case "stay_completed":
      return [{ to: "in_house", label: "Undo check-out", isMain: false }]
  }
}

export const arrivalForms = (view: StayView): Html => {
  const buttons = listArrivalButtons(view)
  return buttons.length === 0
    ? nothing
    : html`<div class="acts">${buttons.map(({ to, label, isMain }) =>
        actionForm(view.visit, {
          action: "whereabouts",
          label,
          kind: isMain ? "primary" : "plain",
          fields: html`<input type="hidden" name="stay_status" value="${to}"><input type="hidden" name="seen" value="${view.stay.stay_status}">`
        })
      )}</div>
`
}
