import { NotFound } from "../../../contract/errors.ts"
import type { ClockTime, StayStatus } from "./stay.ts"

export const stayNotFoundError = new NotFound({ message: "stay_code: no such stay." })

interface StayStatusFields {
  readonly status: string
  readonly stay_status: typeof StayStatus.Type
  /** `YYYY-MM-DD` and `HH:mm`, in the operator's local time. */
  readonly check_out_date: string
  readonly check_out_time: string
}

/**
 * `clock` is the operator's local time, `YYYY-MM-DD HH:mm:ss`. From check-out time on, an accepted stay that was never
 * marked as `in_house` shows `stay_completed`. The stored status does not change.
 */
export const computeShownStayStatus = (stay: StayStatusFields, clock: string): StayStatusFields["stay_status"] =>
  stay.status === "accepted" &&
  stay.stay_status === "checkin_pending" &&
  `${stay.check_out_date} ${stay.check_out_time}` <= clock
    ? "stay_completed"
    : stay.stay_status

/** Returns `HH:mm`. */
export const toClockText = (time: typeof ClockTime.Type | null | undefined): string | null | undefined =>
  time === null || time === undefined
    ? time
    : [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":")
