import { GuestDetails } from "../../domain/bookings/stays/stay.ts"
import type { DemoOrder } from "./orders.ts"

interface Person {
  readonly name: string
  readonly country: string
  readonly gender: "male" | "female"
}

const PEOPLE: readonly [Person, ...ReadonlyArray<Person>] = [
  { name: "Ines Carvalho", country: "PT", gender: "female" },
  { name: "Tom Abernathy", country: "GB", gender: "male" },
  { name: "Marta Nowak", country: "PL", gender: "female" },
  { name: "Jonas Weber", country: "DE", gender: "male" },
  { name: "Aiko Tanaka", country: "JP", gender: "female" },
  { name: "Luca Ferri", country: "IT", gender: "male" },
  { name: "Chloé Martin", country: "FR", gender: "female" },
  { name: "Daniel Okafor", country: "NG", gender: "male" },
  { name: "Sofia Lindqvist", country: "SE", gender: "female" },
  { name: "Rafael Ortega", country: "ES", gender: "male" },
  { name: "Grace Murphy", country: "IE", gender: "female" }
]

/** Mail to example.com reaches nobody (RFC 2606). */
const emailOf = (name: string): string =>
  `${name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll(" ", ".")}@example.com`

export const bookerOf = (order: DemoOrder): GuestDetails => {
  const digits = Number(order.channelId.replace(/\D/g, "").slice(-6))
  const person = PEOPLE[digits % PEOPLE.length] ?? PEOPLE[0]
  return GuestDetails.make({
    ...person,
    phone: `+00 555 ${String(digits % 10_000).padStart(4, "0")}`,
    email: emailOf(person.name),
    is_booker: true
  })
}
