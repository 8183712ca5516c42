/** Addresses that lead inside, in every dress that is known to have worked somewhere. */
export const INSIDE = `
  http://127.0.0.1/ http://127.1/ http://127.0.1/ http://127.255.255.254/ http://2130706433/
  http://0x7f000001/ http://0x7f.0.0.1/ http://0x7f.1/ http://0177.0.0.1/ http://017700000001/
  http://00000177.0.0.1/ http://0/ http://0.0.0.0/ http://127.0.0.1./ http://①②⑦.⓪.⓪.①/
  http://１２７.0.0.1/ http://127。0。0。1/ http://127%2e0%2e0%2e1/ http://%31%32%37.0.0.1/
  http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.9.9/
  http://192.168.0.1/ http://192.168.1.1:8080/admin http://100.64.0.1/
  http://100.100.100.200/latest/meta-data/ http://100.127.255.255/
  http://169.254.169.254/latest/meta-data/ http://169.254.170.2/ http://2852039166/
  http://0xa9fea9fe/ http://0xA9.0xFE.0xA9.0xFE/ http://0251.0376.0251.0376/
  http://192.0.0.192/opc/v2/ http://192.0.2.7/ http://198.51.100.1/ http://203.0.113.9/
  http://198.18.0.1/ http://192.88.99.1/ http://224.0.0.1/ http://240.0.0.1/
  http://255.255.255.255/ http://[::]/ http://[::1]/ http://[0:0:0:0:0:0:0:1]/
  http://[0000::0001]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
  http://[::ffff:169.254.169.254]/ http://[::127.0.0.1]/ http://[::ffff:0:127.0.0.1]/
  http://[64:ff9b::7f00:1]/ http://[64:ff9b::a9fe:a9fe]/ http://[64:ff9b:1::a00:1]/
  http://[2002:7f00:1::]/ http://[2002:a00:1::1]/ http://[2001::1]/ http://[2001:db8::1]/
  http://[fe80::1]/ http://[fec0::1]/ http://[fc00::1]/ http://[fd00:ec2::254]/
  http://[ff02::1]/ http://[100::1]/ http://[fe80::1%25eth0]/ http://localhost/
  http://LOCALHOST:8787/ http://localhost./ http://localhost../ http://a.localhost/
  http://ⓛocalhost/ http://printer.local/ http://metadata.google.internal/
  http://vault.internal./ http://metadata/ http://intranet/
  http://kubernetes.default.svc.cluster.local/ http://router.lan/ http://nas.home.arpa/
  http://localhost.localdomain/
`
  .trim()
  .split(/\s+/);
