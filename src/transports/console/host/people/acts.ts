import { Effect, type Schema } from "effect"
import type { ApiError } from "../../../../contract/errors.ts"
import type { Busy } from "../../../../domain/access/sign-in/Hashing.ts"
import type { SubAccounts } from "../../../../domain/access/sign-in/SubAccounts.ts"
import { query_staffs } from "../../../../domain/work/staffs/contract.ts"
import type { Service } from "../../../../service/service.ts"
import { idOf } from "../../id.ts"
import type { Refused } from "../../outcome.ts"
import { refusedFor, type Sudo } from "../../sudo.ts"
import { TEXTS } from "../../texts.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { PEOPLE_PATH } from "../addresses.ts"
import { doing, overtaken, reading, refusedAs } from "../asking.ts"
import { asLines, asText, givenIn, idsIn, ticksIn, touchedIn, withTicks } from "../fields.ts"
import { type GoOn, type HostAct, refusal } from "../page.ts"
import { passwordIn } from "./passwords.ts"
import { WORKS_IN } from "./staff.ts"

// What the page's forms do.

type Acts = Readonly<Record<string, HostAct>>

const BACK: GoOn = { _tag: "GoOn", to: PEOPLE_PATH }

const different = refusal(422, TEXTS.password.different)

const asRefused = (error: ApiError | Busy): Refused =>
  error._tag === "Busy" ? refusedFor(error, TEXTS.sudo.wrong) : refusedAs(error)

const idIn = (form: Form): number | undefined => idOf(form.get("id"))

/** The sub-account that a form names. Whether there is one, and whether it may be asked, the service says. */
const accountIn = (form: Form) => {
  const id = idIn(form)
  return id === undefined ? Effect.fail(refusal(404, "There is no such sub-account.")) : Effect.succeed(id)
}

/** A password that was given the same twice. Only then one's own is asked for, as a wrong one counts. */
const proven = Effect.fnUntraced(function* (sudo: Sudo, visit: SignedInVisit, form: Form) {
  const password = passwordIn(form)
  if (password === undefined) return yield* Effect.fail(different)
  yield* sudo.demand(visit, form)
  return password
})

/** For the main account alone, which the service sees to; who is not it is asked for no password. */
const mainOnly = ({ session }: SignedInVisit): Effect.Effect<void, Refused> =>
  session.person.caller.role === "main"
    ? Effect.void
    : Effect.fail(refusal(403, "Only the main account may manage accounts."))

export const accountActs = (accounts: SubAccounts["Service"], sudo: Sudo): Acts => {
  return {
    make_account: {
      done: "The sub-account is made. Tell its e-mail address and password to whom it is for.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* mainOnly(visit)
        const password = yield* proven(sudo, visit, form)
        const [email, name] = [(form.get("email") ?? "").trim(), (form.get("name") ?? "").trim()]
        const made = accounts.create(visit.session.person.caller, { email, password, ...(name === "" ? {} : { name }) })
        yield* Effect.mapError(made, asRefused)
        return BACK
      })
    },
    new_password: {
      done: "The sub-account has its new password, and is signed out everywhere.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* mainOnly(visit)
        const id = yield* accountIn(form)
        const password = yield* proven(sudo, visit, form)
        yield* Effect.mapError(accounts.setPassword(visit.session.person.caller, id, password), asRefused)
        return BACK
      })
    },
    disable_account: {
      done: "The sub-account is disabled and signed out; its tokens stop.",
      run: Effect.fnUntraced(function* (visit, form) {
        const id = yield* accountIn(form)
        yield* Effect.mapError(accounts.disable(visit.session.person.caller, id), asRefused)
        return BACK
      })
    },
    enable_account: {
      done: "The sub-account works again.",
      run: Effect.fnUntraced(function* (visit, form) {
        yield* mainOnly(visit)
        const id = yield* accountIn(form)
        yield* sudo.demand(visit, form)
        yield* Effect.mapError(accounts.enable(visit.session.person.caller, id), asRefused)
        return BACK
      })
    }
  }
}

export const staffActs = (service: Service["Service"]): Acts => {
  const [act, staffs] = [doing(service), reading(service, query_staffs)]
  return {
    add_staff: {
      done: "They are added.",
      run: Effect.fnUntraced(function* (visit, form) {
        const property_ids = yield* propertiesIn(form)
        const given = givenIn(form, { name: asText, mobile: asText, email: asText, note: asLines })
        yield* act(visit, form, "create_staff", { name: "", mobile: "", ...given, property_ids })
        return BACK
      })
    },
    change_staff: {
      done: "They are changed.",
      run: Effect.fnUntraced(function* (visit, form) {
        const now = Effect.map(staffs(visit, whichOf(form)), ({ staffs: [person] }) => person?.property_ids ?? [])
        const limited = yield* limitedTo(form, now)
        const touched = touchedIn(form, {
          name: asText,
          mobile: asText,
          email: asText,
          note: asLines,
          is_active: (text) => text === "true"
        })
        yield* act(visit, form, "update_staff", { ...whichOf(form), ...touched, ...limited })
        return BACK
      })
    },
    delete_staff: {
      done: "They are deleted; their tasks stay and have nobody assigned.",
      run: (visit, form) => Effect.as(act(visit, form, "delete_staff", whichOf(form)), BACK)
    }
  }
}

/** What is no id goes on as it is: the operation says so. */
const whichOf = (form: Form) => ({ id: idIn(form) ?? form.get("id") ?? "" })

/** Where somebody works as the form leaves it; what is ticked, while it does not count, is not looked at. */
const limitedTo = (
  form: Form,
  now: Effect.Effect<ReadonlyArray<number>, Refused>
): Effect.Effect<Schema.JsonObject, Refused> => {
  const isTurned = touchedIn(form, { [WORKS_IN]: asText })[WORKS_IN] !== undefined
  if (isTurned) return Effect.map(propertiesIn(form), (property_ids) => ({ property_ids }))
  const ticks = ticksIn(form, "property_ids")
  if (ticks === undefined) return Effect.succeed({})
  if (form.get(WORKS_IN) !== "some") return Effect.as(propertiesIn(form), {})
  return Effect.flatMap(now, (ids) => {
    // None is every one: somebody else has said so since, and nothing of it is what was unticked and ticked here.
    if (ids.length === 0) return Effect.fail(overtaken)
    const property_ids = withTicks(ids, ticks)
    return property_ids.length === 0 ? Effect.fail(noneTicked) : Effect.succeed({ property_ids })
  })
}

const ticksOfNoUse = refusal(
  422,
  "What is ticked counts only where they work in those alone: choose that, or tick none."
)

const noneTicked = refusal(422, "Tick the properties they work in, or choose every property.")

const propertiesIn = (form: Form): Effect.Effect<ReadonlyArray<Schema.Json>, Refused> => {
  if (form.get(WORKS_IN) !== "some") {
    return (ticksIn(form, "property_ids")?.on ?? []).length === 0 ? Effect.succeed([]) : Effect.fail(ticksOfNoUse)
  }
  const ids = idsIn(form, "property_ids")
  return ids.length > 0 ? Effect.succeed(ids) : Effect.fail(noneTicked)
}
