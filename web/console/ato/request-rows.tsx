import type { AtoRequestEntry } from '../../api/operations.ts'
import { TextLink } from '../../parts/link.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'
import { AtoStatusBadge } from './status-badge.tsx'

const { ato: say } = consoleWords

export const RequestRows = ({ requests }: { readonly requests: readonly AtoRequestEntry[] }) => (
  <Rows label={say.requests} head={[say.package, say.plugin, say.status, say.changed]} minWidth={600}>
    {requests.map((request) => (
      <Row
        key={request.requestId}
        cells={[
          <TextLink
            key="package"
            to="/console/ato/requests/$requestId"
            params={{ requestId: request.requestId }}
            fw={600}
          >
            {request.packageName}
          </TextLink>,
          request.pluginRemoved ? `${request.pluginName} (${say.unavailable.toLowerCase()})` : request.pluginName,
          <AtoStatusBadge key="status" request={request} />,
          <Time key="changed" at={request.changedDate} />,
        ]}
      />
    ))}
  </Rows>
)
