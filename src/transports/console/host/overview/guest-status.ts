import { Effect } from "effect"
import { search_reservations } from "../../../../domain/bookings/reservations/contract.ts"
import { PAGE_MAX } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import type { Html } from "../../../docs/html.ts"
import { html } from "../../../docs/html.ts"
import type { OverviewStay } from "../../queries/Overview.ts"
import type { SignedInVisit } from "../../visit.ts"
import { failIfStale, makeQuery, makeVoidMutation } from "../api-operations.ts"
import { actionForm } from "../form-fields.ts"
import type { HostAction } from "../host-page.ts"
import { badge } from "../page-parts.ts"
import { OVERVIEW_PATH } from "../urls.ts"

type GuestStatus = OverviewStay["stay_status"]

const SET_STATUS_ACTION = "set_stay_status"

/** A guest whose check-in nobody recorded may leave all the same, so the stay is only missing its check-out. */
const isCheckInMissed = ({ stay_status, check_in_date }: OverviewStay, today: string): boolean =>
  stay_status === "checkin_pending" && check_in_date < today

export const guestStatusBadge = (stay: OverviewStay, today: string): Html => {
  if (isCheckInMissed(stay, today)) return badge("Not checked out", "wait")
  switch (stay.stay_status) {
    case "checkin_pending":
      return badge("Not checked in", "wait")
    case "in_house":
      return badge("Checked in", "good")
    case "stay_completed":
      return badge("Checked out")
  }
}

/** The button of the next step of the stay. Undefined after check-out, and beside a departure before check-in. */
export const nextStatusForm = (
  visit: SignedInVisit,
  stay: OverviewStay,
  { today, list }: { readonly today: string; readonly list: "arrivals" | "departures" }
): Html | undefined => {
  const isArrivalPending = stay.stay_status === "checkin_pending" && !isCheckInMissed(stay, today)
  if (list === "arrivals") {
    return isArrivalPending ? statusForm(visit, stay, { target: "in_house", label: "Check in" }) : undefined
  }
  return isArrivalPending || stay.stay_status === "stay_completed"
    ? undefined
    : statusForm(visit, stay, { target: "stay_completed", label: "Check out" })
}

const statusForm = (
  visit: SignedInVisit,
  { stay_code, guest_name, stay_status }: OverviewStay,
  { target, label }: { readonly target: GuestStatus; readonly label: string }
): Html =>
  actionForm(visit, {
    action: SET_STATUS_ACTION,
    label,
    subject: guest_name ?? stay_code,
    kind: "plain",
    fields: html`<input type="hidden" name="stay_code" value="${stay_code}"><input type="hidden" name="stay_status" value="${target}"><input type="hidden" name="seen" value="${stay_status}">`
  })

const describeChange = (guest: string, seen: string, target: string): string => {
  if (target === "stay_completed") return `${guest} checked out.`
  if (seen === "stay_completed") return `Check-out of ${guest} undone.`
  return target === "in_house" ? `${guest} checked in.` : `Check-in of ${guest} undone.`
}

/** Fails if somebody else has changed the status since the page was shown. The notice offers the former status. */
export const makeStatusAction = (service: Service["Service"]): Readonly<Record<string, HostAction>> => {
  const [mutate, search] = [makeVoidMutation(service), makeQuery(service, search_reservations)]
  const run: HostAction["run"] = Effect.fnUntraced(function* (visit, form) {
    const [stay_code, target] = [form.get("stay_code") ?? "", form.get("stay_status") ?? ""]
    const seen = form.get("seen") ?? ""
    const { reservations } = yield* search(visit, { reservation_code: stay_code, limit: PAGE_MAX })
    const stay = reservations.find((each) => each.stay_code === stay_code)
    const update = mutate(visit, form, "update_stay_status", { stay_code, stay_status: target })
    yield* failIfStale({ current: stay?.stay_status, seen, target }, update)
    return {
      _tag: "GoOn",
      url: OVERVIEW_PATH,
      notice: {
        text: describeChange(stay?.guest_name ?? stay_code, seen, target),
        undo: { action: SET_STATUS_ACTION, fields: { stay_code, stay_status: seen, seen: target } }
      }
    } as const
  })
  return { [SET_STATUS_ACTION]: { doneMessage: "Saved.", run } }
}
