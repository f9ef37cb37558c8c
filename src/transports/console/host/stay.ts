import { Effect, type Schema } from "effect"
import { CheckInApproval } from "../../../domain/bookings/check-in/CheckInApproval.ts"
import { search_reservations } from "../../../domain/bookings/reservations/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { PAGE_MAX } from "../../../platform/limits.ts"
import type { OperationName } from "../../../service/Api.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { Refused } from "../outcome.ts"
import { StayBeside } from "../queries/StayBeside.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { STAY_PATH } from "./addresses.ts"
import { doing, reading, refusedAs, unlessOvertaken } from "./asking.ts"
import { asNumber, touchedIn } from "./fields.ts"
import { type HostAct, hostPage, notThere } from "./page.ts"
import { historyLink, zoneOf } from "./parts.ts"
import { arrivals, cancelling, request } from "./stay/answer.ts"
import { BASICS, change, DATES } from "./stay/change.ts"
import { CHECK_IN, checkIn } from "./stay/check-in.ts"
import { facts, money, others, tasks } from "./stay/facts.ts"
import { guests } from "./stay/guests.ts"
import { customFields, fieldsIn, tags } from "./stay/kept.ts"
import type { Seen } from "./stay/seen.ts"
import { overtakenAt } from "./stay/way.ts"
import { whoOf } from "./stay/words.ts"

/** One stay with all that is known of it, and all that can be done with it. */
export const makeStayPage = Effect.gen(function* () {
  const [service, desk, approval] = [yield* Service, yield* StayBeside, yield* CheckInApproval]
  const act = doing(service)
  const search = reading(service, search_reservations)
  const channels = reading(service, query_custom_channels)

  /** A form that an operation does to this stay, with the fields that `read` takes from it. */
  const toStay = (
    operation: OperationName,
    done: string,
    read: (form: Form) => Parameters<typeof act>[3]
  ): HostAct => ({
    done,
    run: (visit, form) => act(visit, form, operation, { stay_code: codeIn(visit), ...read(form) })
  })

  /** And one that it does to its whole order. */
  const toOrder = (operation: OperationName, done: string): HostAct => ({
    done,
    run: (visit, form) => act(visit, form, operation, { reservation_code: form.get("reservation_code") ?? "" })
  })

  const saving = (read: Parameters<typeof touchedIn>[1]) => (form: Form) => touchedIn(form, read)

  return hostPage({
    path: STAY_PATH,
    show: (visit, notTaken) =>
      Effect.gen(function* () {
        const code = codeIn(visit)
        const { operatorId } = visit.session.person.caller
        const beside = code === "" ? undefined : yield* desk.of(operatorId, code)
        if (beside === undefined) return nobody
        const { reservations } = yield* search(visit, { reservation_code: code, limit: PAGE_MAX })
        const stay = reservations.find(({ stay_code }) => stay_code === code)
        if (stay === undefined) return nobody
        const { custom_channels } = yield* channels(visit, {})
        const options = custom_channels.map(({ id, name }) => ({ value: id, words: name }))
        const rest = reservations.filter((each) => each !== stay)
        return viewOf({ visit, notTaken, stay, others: rest, beside, channels: options })
      }),
    acts: {
      change: toStay("update_reservation_basic", "The changes are saved.", saving(BASICS)),
      dates: toStay("update_reservation_basic", "The stay has its new days.", saving(DATES)),
      allocate: { done: "The stay is in its new place.", run: moving(search, desk, act) },
      box: toStay("move_stay_to_box", "The stay is in the box.", () => ({})),
      whereabouts: { done: "Noted.", run: whereabouts(search, act) },
      tag: toStay("add_reservation_tag", "The tag is on.", tagIn),
      untag: toStay("remove_reservation_tag", "The tag is off.", tagIn),
      check_in: toStay("update_check_in_details", "The check-in is saved.", saving(CHECK_IN)),
      fields: toStay("update_reservation_custom_fields", "The fields are saved.", (form) => ({
        custom_fields: fieldsIn(form)
      })),
      approve: toOrder("approve_reservation", "The request is accepted."),
      decline: toOrder("decline_reservation", "The request is turned down."),
      cancel: toOrder("cancel_reservation", "The reservation is cancelled."),
      approve_check_in: {
        done: "The check-in is approved.",
        run: (visit) =>
          approval
            .approve({ stayCode: codeIn(visit), operatorId: visit.session.person.caller.operatorId })
            .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
      }
    },
    said: { entered: "The reservation is entered." }
  })
})

type Search = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<typeof search_reservations.successSchema.Type, Refused>

const stayNow = (search: Search, visit: SignedInVisit, code: string) =>
  Effect.map(search(visit, { reservation_code: code, limit: PAGE_MAX }), ({ reservations }) =>
    reservations.find(({ stay_code }) => stay_code === code)
  )

/** Into a property: over those who were shown to be in the way there, and over nobody else. */
const moving = (search: Search, desk: StayBeside["Service"], act: ReturnType<typeof doing>): HostAct["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const [code, property_id] = [codeIn(visit), asNumber(form.get("property_id") ?? "")]
    const shown = form.get("way")
    const stay = yield* stayNow(search, visit, code)
    // Sent again once it is there, it is done.
    if (shown !== null && stay?.status === "accepted" && stay.property_id !== property_id) {
      const beside = yield* desk.of(visit.session.person.caller.operatorId, code)
      const there = beside?.properties.find(({ id }) => id === property_id)
      const overtaken = there === undefined ? undefined : overtakenAt(there, shown)
      if (overtaken !== undefined) return yield* Effect.fail(overtaken)
    }
    return yield* act(visit, form, "allocate_stay", { stay_code: code, property_id })
  })

/** Arrived, left, or neither after all: as long as it stands as the form has shown it. */
const whereabouts = (search: Search, act: ReturnType<typeof doing>): HostAct["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const [code, wanted] = [codeIn(visit), form.get("stay_status") ?? ""]
    const now = (yield* stayNow(search, visit, code))?.stay_status
    const told = act(visit, form, "update_stay_status", { stay_code: code, stay_status: wanted })
    return yield* unlessOvertaken({ now, seen: form.get("seen"), wanted }, told)
  })

const codeIn = ({ query }: SignedInVisit): string => query.get("code") ?? ""

const tagIn = (form: Form) => ({ tag_name: (form.get("tag_name") ?? "").trim() })

const nobody = notThere("No such stay", "There is no stay of that code.")

/** What waits for the host comes first, then what is known, then what can be changed. */
const viewOf = (seen: Seen) => ({
  title: `${whoOf(seen.stay)}${seen.stay.guest_name === null ? "" : `, ${seen.stay.stay_code}`}`,
  body: html`${request(seen)}${facts(seen)}${arrivals(seen)}<div class="columns">${money(seen)}${checkIn(seen)}</div>
${guests(seen)}${others(seen)}${change(seen)}<div class="columns">${tags(seen)}${customFields(seen)}</div>
${tasks(seen)}${cancelling(seen)}${historyLink(`reservation:${seen.stay.reservation_code}`)}${zoneOf(seen.visit)}`
})
