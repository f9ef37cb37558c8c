import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { defaultTagColor, type TagColor } from "../../contract/tag-color.ts"
import { ReservationTagStore } from "../../domain/bookings/reservation-tags/store.ts"
import { GroupStore } from "../../domain/properties/groups/store.ts"
import { RoomTypeStore } from "../../domain/properties/properties/room-type-store.ts"
import { TagStore } from "../../domain/properties/tags/store.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

/** In the order of DEMO_PROPERTIES. */
const LOCATIONS: ReadonlyArray<{ readonly address: string; readonly latitude: string; readonly longitude: string }> = [
  { address: "Beco do Carneiro 4, 1100 Lisbon", latitude: "38.7117", longitude: "-9.1291" },
  { address: "Rua Garrett 61, 1200 Lisbon", latitude: "38.7106", longitude: "-9.1404" },
  { address: "Largo da Graça 18, 1170 Lisbon", latitude: "38.7164", longitude: "-9.1305" },
  { address: "Rua de Belém 92, 1300 Lisbon", latitude: "38.6972", longitude: "-9.2033" },
  { address: "Canongate 120, Edinburgh EH8", latitude: "55.9514", longitude: "-3.1797" },
  { address: "The Shore 33, Edinburgh EH6", latitude: "55.9758", longitude: "-3.1703" },
  { address: "The Shore 35, Edinburgh EH6", latitude: "55.9759", longitude: "-3.1702" },
  { address: "St Stephen Street 8, Edinburgh EH3", latitude: "55.9580", longitude: "-3.2092" }
]

// Indexes in DEMO_PROPERTIES.
const LEITH_HARBOUR_INDEXES = [5, 6]
const TAGS: ReadonlyArray<{
  readonly name: string
  readonly color: TagColor
  readonly propertyIndexes: ReadonlyArray<number>
}> = [
  { name: "Sea view", color: "#2CBCFD", propertyIndexes: [2, ...LEITH_HARBOUR_INDEXES] },
  { name: "Pets welcome", color: "#1BBFA4", propertyIndexes: [3, 4, 7] },
  { name: "Own parking", color: "#7175FA", propertyIndexes: [4] }
]
const RESERVATION_TAGS = ["Baby cot", "Airport pick-up"]

export const writePortfolio = Effect.fn("demo.writePortfolio")(
  function* ({ operatorId, propertyIds, now }: DemoOperator) {
    const sql = yield* SqlClient.SqlClient
    const propertyIdsAt = (indexes: ReadonlyArray<number>) => indexes.flatMap((place) => propertyIds[place] ?? [])
    const places = LOCATIONS.map((place, index) => ({
      ...place,
      id: propertyIds[index],
      currency: DEMO_PROPERTIES[index]?.currency
    }))
    yield* sql`
      UPDATE properties SET address = place.address, latitude = place.latitude, longitude = place.longitude,
        currency = nullif(place.currency, o.currency)
      FROM operators o, jsonb_to_recordset(${JSON.stringify(places)}::text::jsonb) AS place
        (id bigint, address text, latitude text, longitude text, currency text)
      WHERE properties.operator_id = ${operatorId} AND properties.id = place.id AND o.id = properties.operator_id`

    const groups = yield* GroupStore
    for (const city of ["Lisbon", "Edinburgh"]) {
      const flats = DEMO_PROPERTIES.flatMap((property, place) => (property.city === city ? [place] : []))
      yield* groups.create(operatorId, { name: city, property_ids: propertyIdsAt(flats) }, now)
    }
    const roomTypes = yield* RoomTypeStore
    const harbour = { title: "Leith Harbour apartment", property_ids: propertyIdsAt(LEITH_HARBOUR_INDEXES) }
    const { id: roomTypeId } = yield* roomTypes.create(operatorId, harbour, now)
    const tags = yield* TagStore
    for (const { name, color, propertyIndexes } of TAGS) {
      const room_type_ids = roomTypeId !== null && name === "Sea view" ? [roomTypeId] : []
      yield* tags.create(
        operatorId,
        { name, color, defaultColor: color, property_ids: propertyIdsAt(propertyIndexes), room_type_ids },
        now
      )
    }
    const reservationTags = yield* ReservationTagStore
    for (const tag_name of RESERVATION_TAGS) {
      yield* reservationTags.create(operatorId, { tag_name, color: defaultTagColor(tag_name) }, now)
    }
  },
  Effect.provide(Layer.mergeAll(GroupStore.layer, RoomTypeStore.layer, TagStore.layer, ReservationTagStore.layer))
)
