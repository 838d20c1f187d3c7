export const appWords = {
  clientId: 'Client ID',
  approve: 'Approve',
  approved: (name: string) => `${name} is approved`,
  suspended: (name: string) => `${name} is suspended`,
  suspend: 'Suspend',
  suspendTitle: (name: string) => `Suspend ${name}?`,
  suspendText:
    'Nobody can sign in to it, and its tokens are refused at once. Nothing is removed: you can approve it again.',
  reasonHelp: 'The developers of the app read it, and it is in the audit log.',
  undone: 'The approval was undone',
}
