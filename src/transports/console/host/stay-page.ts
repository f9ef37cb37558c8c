import { Effect, type Schema } from "effect"
import { search_reservations } from "../../../domain/bookings/reservations/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { PAGE_MAX } from "../../../platform/limits.ts"
import type { OperationName } from "../../../service/Api.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { StayBeside } from "../queries/StayBeside.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { failIfStale, makeQuery, makeVoidMutation } from "./api-operations.ts"
import { parseNumber, readChangedFields } from "./form-fields.ts"
import { type HostAction, makeHostPage, notFoundView } from "./host-page.ts"
import { activityLogLink, timeZoneNote } from "./page-parts.ts"
import { CHECK_IN_PARSERS, checkInSection } from "./stay/check-in-section.ts"
import { BASICS_PARSERS, DATE_PARSERS, editSection } from "./stay/edit-stay.ts"
import { findNewConflict } from "./stay/move-conflicts.ts"
import { arrivalForms, calendarSection, cancelSection, requestSection } from "./stay/reservation-actions.ts"
import { factsSection, moneySection, otherStaysSection, tasksSection } from "./stay/stay-facts.ts"
import { guestsSection } from "./stay/stay-guests.ts"
import { guestLabel } from "./stay/stay-labels.ts"
import type { StayView } from "./stay/stay-view.ts"
import { customFieldsSection, readCustomFields, tagsSection } from "./stay/tags-and-custom-fields.ts"
import { STAY_PATH } from "./urls.ts"

export const makeStayPage = Effect.gen(function* () {
  const [service, stayContext] = [yield* Service, yield* StayBeside]
  const mutate = makeVoidMutation(service)
  const search = makeQuery(service, search_reservations)
  const queryChannels = makeQuery(service, query_custom_channels)

  const makeStayAction = (
    operation: OperationName,
    message: string,
    parse: (form: SubmittedForm) => Parameters<typeof mutate>[3]
  ): HostAction => ({
    doneMessage: message,
    run: (visit, form) => mutate(visit, form, operation, { stay_code: readStayCode(visit), ...parse(form) })
  })

  const makeOrderAction = (operation: OperationName, message: string): HostAction => ({
    doneMessage: message,
    run: (visit, form) => mutate(visit, form, operation, { reservation_code: form.get("reservation_code") ?? "" })
  })

  const makeFieldReader = (parsers: Parameters<typeof readChangedFields>[1]) => (form: SubmittedForm) =>
    readChangedFields(form, parsers)

  return makeHostPage({
    path: STAY_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const stayCode = readStayCode(visit)
        const context = stayCode === "" ? undefined : yield* stayContext.of(stayCode)
        if (context === undefined) return stayNotFoundView
        const { reservations } = yield* search(visit, { reservation_code: stayCode, limit: PAGE_MAX })
        const stay = reservations.find(({ stay_code }) => stay_code === stayCode)
        if (stay === undefined) return stayNotFoundView
        const { custom_channels } = yield* queryChannels(visit, {})
        const options = custom_channels.map(({ id, name }) => ({ value: id, label: name }))
        const otherStays = reservations.filter((each) => each !== stay)
        return renderStay({ visit, failedSubmission, stay, otherStays, context, channels: options })
      }),
    actions: {
      change: makeStayAction("update_reservation_basic", "The changes are saved.", makeFieldReader(BASICS_PARSERS)),
      dates: makeStayAction("update_reservation_basic", "The stay has its new days.", makeFieldReader(DATE_PARSERS)),
      allocate: { doneMessage: "The stay is in its new place.", run: makeMoveStay(search, stayContext, mutate) },
      box: makeStayAction("move_stay_to_box", "The stay is in the box.", () => ({})),
      whereabouts: { doneMessage: "Noted.", run: makeUpdateArrival(search, mutate) },
      tag: makeStayAction("add_reservation_tag", "The tag is on.", readTagName),
      untag: makeStayAction("remove_reservation_tag", "The tag is off.", readTagName),
      check_in: makeStayAction("update_check_in_details", "The check-in is saved.", makeFieldReader(CHECK_IN_PARSERS)),
      fields: makeStayAction("update_reservation_custom_fields", "The fields are saved.", (form) => ({
        custom_fields: readCustomFields(form)
      })),
      approve: makeOrderAction("approve_reservation", "The request is accepted."),
      decline: makeOrderAction("decline_reservation", "The request is turned down."),
      cancel: makeOrderAction("cancel_reservation", "The reservation is cancelled."),
      cancel_calendar_stay: makeStayAction("cancel_calendar_stay", "The reservation is cancelled.", () => ({})),
      detach: makeStayAction("detach_calendar_stay", "The reservation is detached from the calendar.", () => ({})),
      approve_check_in: makeStayAction("approve_check_in", "The check-in is approved.", () => ({}))
    },
    doneMessages: { entered: "The reservation is entered." }
  })
})

type ReservationSearch = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<typeof search_reservations.successSchema.Type, ActionError>

const findCurrentStay = (search: ReservationSearch, visit: SignedInVisit, stayCode: string) =>
  Effect.map(search(visit, { reservation_code: stayCode, limit: PAGE_MAX }), ({ reservations }) =>
    reservations.find(({ stay_code }) => stay_code === stayCode)
  )

/** Fails if the move would displace a stay that the form has not shown. */
const makeMoveStay = (
  search: ReservationSearch,
  stayContext: StayBeside["Service"],
  mutate: ReturnType<typeof makeVoidMutation>
): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const [stayCode, property_id] = [readStayCode(visit), parseNumber(form.get("property_id") ?? "")]
    const shownConflicts = form.get("way")
    const stay = yield* findCurrentStay(search, visit, stayCode)
    // If the stay is already in the target property, the form was repeated and succeeds.
    if (shownConflicts !== null && stay?.status === "accepted" && stay.property_id !== property_id) {
      const context = yield* stayContext.of(stayCode)
      const targetProperty = context?.properties.find(({ id }) => id === property_id)
      const conflictError = targetProperty === undefined ? undefined : findNewConflict(targetProperty, shownConflicts)
      if (conflictError !== undefined) return yield* Effect.fail(conflictError)
    }
    return yield* mutate(visit, form, "allocate_stay", { stay_code: stayCode, property_id })
  })

const makeUpdateArrival = (search: ReservationSearch, mutate: ReturnType<typeof makeVoidMutation>): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const [stayCode, targetStatus] = [readStayCode(visit), form.get("stay_status") ?? ""]
    const currentStatus = (yield* findCurrentStay(search, visit, stayCode))?.stay_status
    const update = mutate(visit, form, "update_stay_status", { stay_code: stayCode, stay_status: targetStatus })
    return yield* failIfStale({ current: currentStatus, seen: form.get("seen"), target: targetStatus }, update)
  })

const readStayCode = ({ query }: SignedInVisit): string => query.get("code") ?? ""

const readTagName = (form: SubmittedForm) => ({ tag_name: (form.get("tag_name") ?? "").trim() })

const stayNotFoundView = notFoundView("No such stay", "There is no stay of that code.")

const renderStay = (stayView: StayView) => ({
  title: `${guestLabel(stayView.stay)}${stayView.stay.guest_name === null ? "" : `, ${stayView.stay.stay_code}`}`,
  body: html`${requestSection(stayView)}${factsSection(stayView)}${arrivalForms(stayView)}<div class="columns">${moneySection(stayView)}${checkInSection(stayView)}</div>
${guestsSection(stayView)}${otherStaysSection(stayView)}${editSection(stayView)}<div class="columns">${tagsSection(stayView)}${customFieldsSection(stayView)}</div>
${tasksSection(stayView)}${cancelSection(stayView)}${calendarSection(stayView)}${activityLogLink(`reservation:${stayView.stay.reservation_code}`)}${timeZoneNote(stayView.visit)}`
})
