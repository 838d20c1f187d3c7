import { type Environment, service } from '../environment.ts'

/** An agent or a group of the xAPI, as far as the store itself makes one. */
export type Agent = {
  objectType?: 'Agent' | 'Group'
  name?: string
  mbox?: string
  mbox_sha1sum?: string
  openid?: string
  account?: { homePage: string; name: string }
  member?: Agent[]
}

/** The home page of the accounts that the platform gives: people, apps and keys. */
export const homePage = service(({ config, url }: Environment): string => config.XAPI_HOME_PAGE ?? url)

export const accountAgent = (home: string, account: string, name?: string): Agent => ({
  objectType: 'Agent',
  ...(name === undefined ? {} : { name }),
  account: { homePage: home, name: account },
})
