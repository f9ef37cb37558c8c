import { NotFound } from "../../../contract/errors.ts"
import type { ClockTime, StayStatus } from "./stay.ts"

/** 404 for a `stay_code` that is no stay of the caller. */
export const stayNotFoundError = new NotFound({ message: "stay_code: no such stay." })

/** The fields that determine the shown status of a stay. */
interface StayStatusFields {
  /** The status of its order. */
  readonly status: string
  readonly stay_status: typeof StayStatus.Type
  /** `YYYY-MM-DD`, and `HH:mm` on the operator's clock. */
  readonly check_out_date: string
  readonly check_out_time: string
}

/**
 * Returns the status to show for a stay. `clock`: the operator's local time, `YYYY-MM-DD HH:mm:ss`. From its check-out time on, an
 * accepted stay whose guest was not marked as arrived shows `stay_completed`. The stored status does not change.
 */
export const computeShownStayStatus = (stay: StayStatusFields, clock: string): StayStatusFields["stay_status"] =>
  stay.status === "accepted" &&
  stay.stay_status === "checkin_pending" &&
  `${stay.check_out_date} ${stay.check_out_time}` <= clock
    ? "stay_completed"
    : stay.stay_status

/** `HH:mm`, as the database takes a time of day; what removes it, or says nothing of it, stays as it is. */
export const toClockText = (time: typeof ClockTime.Type | null | undefined): string | null | undefined =>
  time === null || time === undefined
    ? time
    : [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":")
