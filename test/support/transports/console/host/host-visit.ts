import { deriveFormToken, type SignedInVisit } from "../../../../../src/transports/console/visit.ts"
import { toConsoleCaller } from "../../../console-caller.ts"

/** A visit of a page by a host who is signed in with the cookie. */
export const makeHostVisit = ({
  path,
  query = {},
  cookie = "cookie"
}: {
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly cookie?: string
}): SignedInVisit => ({
  ...{ target: path, path, query: new URLSearchParams(query), cookie, formToken: deriveFormToken(cookie) },
  ...{ formKey: "key", ipAddress: "192.0.2.1" },
  session: {
    ...{ email: "owner@example.test", operatorName: "Test", passwordAt: 0 },
    person: {
      caller: toConsoleCaller({ operatorId: 1, accountId: 7, role: "main" }),
      status: "active",
      subscriptionUntil: null
    }
  }
})
