import { Effect } from "effect"
import { SubAccounts } from "../../../domain/access/sign-in/SubAccounts.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { Staff } from "../queries/Staff.ts"
import { makeSudo, type Sudo } from "../sudo.ts"
import type { SignedInVisit } from "../visit.ts"
import { PEOPLE_PATH } from "./addresses.ts"
import { refusedAs } from "./asking.ts"
import { type Change, changeIn, lookedForIn } from "./choosing.ts"
import { type HostView, hostPage, type NotTaken, notThere } from "./page.ts"
import { link, offsetIn, zoneOf } from "./parts.ts"
import { accountView } from "./people/account.ts"
import { accountActs, staffActs } from "./people/acts.ts"
import { accountsPart, notForSubAccounts, staffPart } from "./people/lists.ts"
import { staffView } from "./people/staff.ts"

/** Who works here: sub-accounts, which sign in, for the main account alone; and staff, who are given tasks. */
export const makePeoplePage = Effect.gen(function* () {
  const [accounts, staff, sudo] = [yield* SubAccounts, yield* Staff, yield* makeSudo]
  const service = yield* Service
  const lists = listing(accounts, staff, sudo)
  const form = forming(accounts, staff, sudo)
  return hostPage({
    path: PEOPLE_PATH,
    show: (visit, notTaken) => {
      const change = changeIn(visit)
      return change === undefined ? lists(visit, notTaken) : form(visit, change, notTaken)
    },
    acts: { ...accountActs(accounts, sudo), ...staffActs(service) }
  })
})

type Accounts = SubAccounts["Service"]

const isMain = ({ session }: SignedInVisit): boolean => session.person.caller.role === "main"

const listing = (accounts: Accounts, staff: Staff["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
    const { caller } = visit.session.person
    const shown = yield* staff.list(caller.operatorId, offsetIn(visit, "staff"))
    const kept = isMain(visit)
      ? accountsPart(
          visit,
          yield* Effect.mapError(accounts.list(caller), refusedAs),
          yield* sudo.field(visit),
          notTaken
        )
      : notForSubAccounts
    const view: HostView = { title: "People", body: html`${kept}${staffPart(visit, shown)}${zoneOf(visit)}` }
    return view
  })

const forming = (accounts: Accounts, staff: Staff["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, { kind, id }: Change, notTaken?: NotTaken) {
    const { caller } = visit.session.person
    if (kind === "staff") {
      const has = yield* staff.form({ operatorId: caller.operatorId, id, q: lookedForIn(visit) })
      return id === undefined || has.it !== null
        ? staffView(visit, has, notTaken)
        : noneSuch("There is no such staff member.")
    }
    if (kind !== "account" || id === undefined || !isMain(visit))
      return noneSuch("There is nobody of that kind to change.")
    const all = yield* Effect.mapError(accounts.list(caller), refusedAs)
    const found = all.find((each) => each.id === id && each.role === "sub")
    return found === undefined
      ? noneSuch("There is no such sub-account.")
      : accountView(visit, found, yield* sudo.field(visit))
  })

const noneSuch = (words: string): HostView => notThere("People", words, html`<p>${link(PEOPLE_PATH, "All people")}</p>`)
