import { STAY_ACTIVITY_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { actionLabel } from "../activity-log/activity-labels.ts"
import { activityLogLink, section, timeHtml } from "../page-parts.ts"
import { bookingSourceLabel } from "./stay-labels.ts"
import type { StayView } from "./stay-view.ts"

interface TimelineEvent {
  readonly at: Date
  readonly label: string
  readonly actor?: string | undefined
}

type Activity = StayView["context"]["activity"][number]

const STATUS_OPERATION = "update_stay_status"

/** The page shows these events by themselves. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["create_reservation", "demo seed"])

const ACTIVITY_LABELS: Readonly<Record<string, string>> = {
  approve_reservation: "Request accepted",
  decline_reservation: "Request declined",
  cancel_reservation: "Cancelled",
  cancel_calendar_stay: "Cancelled",
  detach_calendar_stay: "Disconnected from the calendar",
  update_reservation_basic: "Details changed",
  update_check_in_details: "Check-in details changed",
  update_reservation_custom_fields: "Custom fields changed",
  allocate_stay: "Moved to a property",
  move_stay_to_box: "Unassigned",
  add_reservation_tag: "Tag added",
  remove_reservation_tag: "Tag removed",
  approve_check_in: "ID check approved",
  "time out order": "Expired"
}

const STATUS_EVENTS = {
  checkin_pending: "Check-in undone",
  in_house: "Checked in",
  stay_completed: "Checked out"
} as const

/** The audit log has no values. Only the latest change of status is known, because it led to the present one. */
const describeActivity = (
  { operation, application }: Activity,
  isLatestStatus: boolean,
  { stay }: StayView
): string => {
  if (operation === STATUS_OPERATION)
    return isLatestStatus ? STATUS_EVENTS[stay.stay_status] : "Check-in or check-out changed"
  return ACTIVITY_LABELS[operation] ?? actionLabel({ application, operation })
}

const listActivity = (view: StayView): ReadonlyArray<TimelineEvent> => {
  const { context, otherStays } = view
  const latestStatus =
    otherStays.length === 0 ? context.activity.find(({ operation }) => operation === STATUS_OPERATION) : undefined
  return context.activity
    .slice(0, STAY_ACTIVITY_SHOWN)
    .filter(({ operation }) => !SHOWN_ELSEWHERE.has(operation) && !operation.startsWith("ingest order"))
    .map((activity) => ({
      at: activity.at,
      label: describeActivity(activity, activity === latestStatus, view),
      actor: activity.account_name ?? undefined
    }))
}

const listEvents = (view: StayView): ReadonlyArray<TimelineEvent> => {
  const { stay, context } = view
  const hasCancelActivity = context.activity.some(({ operation }) => operation.startsWith("cancel_"))
  return [
    {
      at: new Date(stay.booked_at),
      label: stay.channel_type === "direct" ? "Booked" : `Booked on ${bookingSourceLabel(stay.channel_type)}`
    },
    ...(stay.cancelled_at === null || hasCancelActivity
      ? []
      : [{ at: new Date(stay.cancelled_at), label: "Cancelled" }]),
    ...context.messages.map(({ created_at, sender_role, sender_name }) => ({
      at: created_at,
      label: sender_role === "host" ? "Message sent" : `Message from ${sender_name ?? "the guest"}`
    })),
    ...listActivity(view)
  ].toSorted((one, other) => other.at.getTime() - one.at.getTime())
}

/** The latest first. The activity log has all changes. */
export const timelineSection = (view: StayView): Html =>
  section(
    "Timeline",
    html`<ol class="timeline">
${listEvents(view).map(
  ({
    at,
    label,
    actor
  }) => html`<li>${timeHtml(at, view.visit)}<span>${label}${actor === undefined ? nothing : html` <span class="soft">${actor}</span>`}</span></li>
`
)}</ol>
${activityLogLink(`reservation:${view.stay.reservation_code}`)}`
  )
