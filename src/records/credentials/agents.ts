import type { Agent } from '../statements/statement.ts'

export const accountAgent = (homePage: string, account: string, name?: string): Agent => ({
  objectType: 'Agent',
  ...(name === undefined ? {} : { name }),
  account: { homePage, name: account },
})
