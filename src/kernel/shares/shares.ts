import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Upkeep } from '../room.ts'
import * as store from './store.ts'

/** The limits as settings of a database session, where SQL reads them (database/share-limit.ts). */
export const shareSettings = ({ RECORDS_PERSON_BYTES, RECORDS_APP_BYTES }: Config) => ({
  'groundschool.person_bytes': String(RECORDS_PERSON_BYTES),
  'groundschool.app_bytes': String(RECORDS_APP_BYTES),
})

/** Adds up the records of people and keys, in bytes. */
export const countRecordBytes = async (db: Db): Promise<number> => (await db.first(store.total, {}))!.bytes

/**
 * Adds up the shares of each app. A total that every write changed would make all writes of an app wait for each other.
 */
export const shareUpkeep: Upkeep = {
  name: 'totals of shares',
  everyMs: 60_000,
  run: ({ db }) => db.all(store.addUp, {}),
}
