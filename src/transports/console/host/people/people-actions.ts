import { Effect, type Schema } from "effect"
import { query_staffs } from "../../../../domain/work/staffs/contract.ts"
import type { Service } from "../../../../service/service.ts"
import type { ActionError } from "../../action-outcome.ts"
import { TEXTS } from "../../console-texts.ts"
import type { Sudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { makeQuery, makeVoidMutation, staleFormError } from "../api-operations.ts"
import {
  applyCheckboxChanges,
  parseLines,
  parseText,
  readChangedFields,
  readCheckboxChanges,
  readFilledFields,
  readSelectedIds
} from "../form-values.ts"
import { type ActionRedirect, type HostAction, makeActionError } from "../host-page.ts"
import { PEOPLE_PATH } from "../urls.ts"
import { readNewPassword } from "./password-fields.ts"
import { PROPERTY_SCOPE_FIELD } from "./staff-view.ts"

type HostActions = Readonly<Record<string, HostAction>>

const BACK_TO_PEOPLE: ActionRedirect = { _tag: "GoOn", url: PEOPLE_PATH }

const passwordMismatchError = makeActionError(422, TEXTS.password.passwordsDiffer)

/**
 * The process limits how many passwords it hashes at once. Beyond the limit, the operation fails with 500 and
 * `retryAfter`.
 */
const toOverloadError = (error: ActionError): ActionError =>
  error.status === 500 && error.retryAfter !== undefined
    ? { ...error, status: 503, message: TEXTS.requestErrors.overloaded }
    : error

const readFormId = (form: SubmittedForm): number | undefined => parseRecordId(form.get("id"))

const requireAccountId = (form: SubmittedForm) => {
  const id = readFormId(form)
  return id === undefined ? Effect.fail(makeActionError(404, "There is no such sub-account.")) : Effect.succeed(id)
}

/** Checks the caller's own password last, because a wrong one counts as a failed attempt. */
const readConfirmedPassword = Effect.fnUntraced(function* (sudo: Sudo, visit: SignedInVisit, form: SubmittedForm) {
  const password = readNewPassword(form)
  if (password === undefined) return yield* Effect.fail(passwordMismatchError)
  yield* sudo.requirePassword(visit, form)
  return password
})

/** The operation also checks this. The early check avoids asking sub-accounts for a password. */
const requireMainAccount = ({ session }: SignedInVisit): Effect.Effect<void, ActionError> =>
  session.person.caller.role === "main"
    ? Effect.void
    : Effect.fail(makeActionError(403, "Only the main account can manage accounts."))

export const makeAccountActions = (service: Service["Service"], sudo: Sudo): HostActions => {
  const mutate = makeVoidMutation(service)
  return {
    make_account: {
      doneMessage: "Sub-account added. Send them these sign-in details.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* requireMainAccount(visit)
        const password = yield* readConfirmedPassword(sudo, visit, form)
        const [email, name] = [(form.get("email") ?? "").trim(), (form.get("name") ?? "").trim()]
        const fields = { email, password, ...(name === "" ? {} : { name }) }
        yield* Effect.mapError(mutate(visit, form, "create_account", fields), toOverloadError)
        return BACK_TO_PEOPLE
      })
    },
    new_password: {
      doneMessage: "Password changed. The account is signed out everywhere.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* requireMainAccount(visit)
        const id = yield* requireAccountId(form)
        const password = yield* readConfirmedPassword(sudo, visit, form)
        yield* Effect.mapError(mutate(visit, form, "set_account_password", { id, password }), toOverloadError)
        return BACK_TO_PEOPLE
      })
    },
    disable_account: {
      doneMessage: "Account disabled and signed out. Its tokens no longer work.",
      run: Effect.fnUntraced(function* (visit, form) {
        const id = yield* requireAccountId(form)
        yield* mutate(visit, form, "disable_account", { id })
        return BACK_TO_PEOPLE
      })
    },
    enable_account: {
      doneMessage: "Account enabled.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* requireMainAccount(visit)
        const id = yield* requireAccountId(form)
        yield* sudo.requirePassword(visit, form)
        yield* mutate(visit, form, "enable_account", { id })
        return BACK_TO_PEOPLE
      })
    }
  }
}

export const makeStaffActions = (service: Service["Service"]): HostActions => {
  const [mutate, queryStaff] = [makeVoidMutation(service), makeQuery(service, query_staffs)]
  return {
    add_staff: {
      doneMessage: "Staff member added.",
      run: Effect.fnUntraced(function* (visit, form) {
        const property_ids = yield* readPropertyIds(form)
        const fields = readFilledFields(form, {
          name: parseText,
          mobile: parseText,
          email: parseText,
          note: parseLines
        })
        yield* mutate(visit, form, "create_staff", { name: "", mobile: "", ...fields, property_ids })
        return BACK_TO_PEOPLE
      })
    },
    change_staff: {
      doneMessage: "Staff member saved.",
      run: Effect.fnUntraced(function* (visit, form) {
        const currentPropertyIds = Effect.map(
          queryStaff(visit, staffIdField(form)),
          ({ staffs: [person] }) => person?.property_ids ?? []
        )
        const propertyChanges = yield* readPropertyChanges(form, currentPropertyIds)
        const changes = readChangedFields(form, {
          name: parseText,
          mobile: parseText,
          email: parseText,
          note: parseLines,
          is_active: (text) => text === "true"
        })
        yield* mutate(visit, form, "update_staff", { ...staffIdField(form), ...changes, ...propertyChanges })
        return BACK_TO_PEOPLE
      })
    },
    delete_staff: {
      doneMessage: "Staff member deleted. Their tasks are unassigned.",
      run: (visit, form) => Effect.as(mutate(visit, form, "delete_staff", staffIdField(form)), BACK_TO_PEOPLE)
    }
  }
}

/** Returns an invalid id unchanged, so that the operation reports it. */
const staffIdField = (form: SubmittedForm) => ({ id: readFormId(form) ?? form.get("id") ?? "" })

const readPropertyChanges = (
  form: SubmittedForm,
  currentPropertyIds: Effect.Effect<ReadonlyArray<number>, ActionError>
): Effect.Effect<Schema.JsonObject, ActionError> => {
  const isScopeChanged =
    readChangedFields(form, { [PROPERTY_SCOPE_FIELD]: parseText })[PROPERTY_SCOPE_FIELD] !== undefined
  if (isScopeChanged) return Effect.map(readPropertyIds(form), (property_ids) => ({ property_ids }))
  const checkboxChanges = readCheckboxChanges(form, "property_ids")
  if (checkboxChanges === undefined) return Effect.succeed({})
  if (form.get(PROPERTY_SCOPE_FIELD) !== "some") return Effect.as(readPropertyIds(form), {})
  return Effect.flatMap(currentPropertyIds, (ids) => {
    // Another user has changed the list since the form was shown: it is now empty, which means all properties.
    if (ids.length === 0) return Effect.fail(staleFormError)
    const property_ids = applyCheckboxChanges(ids, checkboxChanges)
    return property_ids.length === 0 ? Effect.fail(emptySelectionError) : Effect.succeed({ property_ids })
  })
}

const unusedSelectionError = makeActionError(422, "Choose “Only the ticked properties”, or tick none.")

const emptySelectionError = makeActionError(422, "Tick at least one property, or choose “All properties”.")

const readPropertyIds = (form: SubmittedForm): Effect.Effect<ReadonlyArray<Schema.Json>, ActionError> => {
  if (form.get(PROPERTY_SCOPE_FIELD) !== "some") {
    return (readCheckboxChanges(form, "property_ids")?.checked ?? []).length === 0
      ? Effect.succeed([])
      : Effect.fail(unusedSelectionError)
  }
  const ids = readSelectedIds(form, "property_ids")
  return ids.length > 0 ? Effect.succeed(ids) : Effect.fail(emptySelectionError)
}
