export const appWords = {
  clientId: 'Client ID',
  approve: 'Approve',
  approved: (name: string) => `${name} approved`,
  suspended: (name: string) => `${name} suspended`,
  suspend: 'Suspend',
  suspendTitle: (name: string) => `Suspend ${name}?`,
  suspendText:
    'People can no longer sign in to it, and its tokens stop working immediately. Nothing is deleted: you can approve it again.',
  reasonHelp: 'The app’s developers can read it. It is also kept in the audit log.',
  undone: 'Approval undone',
}
