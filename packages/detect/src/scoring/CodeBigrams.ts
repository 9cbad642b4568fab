/**
 * How surprising each character is after the one before it, in source code: written by bench/DetectBigrams.ts from
 * 232 MB of public code (the Go standard library and npm packages), never by hand. Row after row of
 * CharacterClass.ts, one character a cell: its code less 48, in fifths of a bit.
 */
export const codeBigrams =
  "cIEEbRHmIhP>CAnIk?D=NSVTL`iphmhlluj{rrqfngyleixlx{{{T\\^Pgum{BUKX?WbmAC^=ZcA\\wIJUAiikEg`aWecfbga{ndk]" +
  "hbi]Q_din{{{IU^JToh{AXM\\@^Z>LpAGOe;Z_IT>M_eiS{dhagggkocubhfihc{c_cnnnz{{QQaQ`qk{F\\\\F6ZXcB_fM_^GWqJG]" +
  "J_aNOqUYTYVWc`Vj]ZVWUTiVST[]bpzpMHWI\\ke{H[CCMDPe\\ceIJ@XOO=@A^QOGPt[]X`Z^haYic][^\\XoZVYa_ew{oWQZK]lg{" +
  "DaYTBA_k9uvITO?[xCMK@knoRvfhekjjsndyqigehc{h`flpu{{{NX]Oknf{NcRe9\\NHD{oNRBBW{HBHIYou[cXcWWUXhbTl`TZR" +
  "\\XrVVWWbdivgQNOFSnh{=fi\\5anq?{gdTbDgiLVHNsjx^w\\fZaZ`lb`shbYc_[aXV\\ifhs{w[P\\Nale{NPFFHJHvmr]DG8ANfLCB" +
  "mOzV{Monmwgwr{m{yvvvls{qfmnkw{{{]_g]j^r{Jh`[5_mZSg^e^dE\\rc9[HYVjovhjbdlfsya{iidhk^qlddrjpxyrW`[DaTi{" +
  "HfVW:YQiGulY_K[`jhHZRjamazWWUZX[a`TkiYY\\]XiXTYafc{xyV5\\Lbhi{CU_G;PVW>o[Ag_AYz]GGCU_vGs_d\\b]agd`qgac[" +
  "_[t\\\\\\eciy{x]F]NTpk{<FaP9bbeD_`QI\\E=seIPKgup]{\\`\\^]ajg[miccbb^u[V]`^j{{xXS`NYqn{F^BA?M@fIkPO\\RHTnd><" +
  "KRgyUpad\\b\\aneYmfdbba[q^X\\cii{{z_YZPblj{QMIE[NPoJZOHD:LE{=EHFPJ[btcc]h[isjbkoeekmd{d\\dgkm{{zbWaV`xq{" +
  "@aWT:U_RJ{TE]V?I]BL?Ha]iM{W`Ya_dld`zl`^be_z\\Yahhfx{oQN`Nflo{cca`dgmebw{HcdpgdVR^1ieqrjrc_idpuh\\{wlee" +
  "zgyja\\i{qx{{TQdMbjd{B]NP:QKiAwTQME@[{CFCIO^vJ{_bY^\\_kg[xkda^a^zYZ]efj{{{_T^Mcqk{JhKc=Y[IDxDGZZIKcYB:" +
  "IfXjNq\\a[`^\\hg^qkb__[]t^Z\\eccr{pXTZDUjh{CgP\\=Yc>@{nVZYHN{@HLGm[RDqY]W\\X\\d`Une[\\^[XrXVW^_eu{rJLXGYkh{" +
  "NLHO?MRvD{nBE<\\I{>BAifzUwgn{xZ{j{{{{{y{{{y{{wy{{{{{{Vjs_t{t{9i[`7]^l@{nc\\c@`u]V_fmoZsmqpeeflgld{plil" +
  "kj{gcdnhrw{zHOcI]ol{>baNEYZ@;zcWcCCZoDH\\IpOiuu\\\\U]ZZc]Xog[^^]VlTPYbS[yx{VG[Jhlj{HMKTJMocJ{{cTfd?re`>" +
  "mfu^UyXZU^XYn[SlX_^^\\\\dYWZfe\\{zc6QUN__k{[[XdLOjpJ{qMHGO6{PCCfbUmh^RWTZVWb\\Sm^YVUUQeTQUZZ_q{rZJTG]jc{" +
  "E^X`3ejfIoqWc_Hdo]XgGmanPO\\ojlre{tf{{toqhq{_ihcnnuosT\\eA_fl{tWOIiYW{do{JgP{P{EOOK_f{{\\ZNDHTPJgQfZBAJ" +
  "gKgB?BTO`PTiRN\\cv{m{Gp^zKkmtF{{C{vF`{L`sE{{yGvFZT^OYSg;CQGXWTSfPKQEb`bXgPEcWown{HhnrUkdH^x{G]j>f{Me\\" +
  "Snpie{HVQVD^YJLrEKD^ETiFC>ZT`eNsRHdWrnt{Elbs@txwG{{fsdKfuYYlPgfs^{ISSI=KSQBe^PPWLW\\LMPQTVGZoK=SXppi{" +
  "\\{q]vJ{{n{{UVIskTE\\noS{H{{NTDGRRNh[kaQM>XNO>DEaMaJKmW@h_uwt{Era]Vm{{A{{GjXEU{G]dHwr{{zJ\\MRHJ^eAzlEUW" +
  "BSpPPMGe_[LqH?Xap{y{XydjC{{rQ{{SxkIp{Gcm[{mvglOUO[:U]UKnbMXEDWcIHNV[^aheQ:l]szc{@rm\\@ovyM{ffauIq{]cE" +
  "W{kwco@`_T;Wa_FtUUOeA[gLVGPgYo]gVBc^nzb{{opFsZ_{{{{hQ?dbzuNR{{{u{{QJFBNJHe^mkJI=?EnTHEgSg[yVUNq`g{z{" +
  "J{dqYnwpWpdlfqDskwBqPsV{q{Uh^c6f]hTpXbU[O\\le:VPfSboq^Gmctvl{c{uh>z{kG{{qjWi{otkqdxkzx{XZ=G:b]cHux^KS" +
  "^ahaSSEianonX;cbs{l{NrboHq{kE{{hnlHq{l_pid{{{{G]ZRE[LOC{_H_^F]f[HNK``hXiV6d[i{X{@{XqFfz{I{aoheGs{eTf" +
  "L{{z`{CVYL>JZeGycNM\\G@h\\CVQagdfuU?ddxyt{E{xkK{{{^{{m{qFs{{dnNt{{{{F`HIDFCeOnUU^WE\\o`<DKXlk]o@Eg[uuq{" +
  "rNhspMyyq{iedRzC{Nk\\T^Yq{{UKEI]FTnLsNJLAN>{E?JQNR_m{bApj{{{{BpirRtq`T{\\T{sFpxBgUS[yvo{C[Q[<X`NH{DPWc" +
  "FMfENILXaga{X>gdW{{{jtZnjmzu_{uY`aljww_a:{j{uwRW[Q]^dcUjgDOa_YWMQd7W\\]dXK<jYuj]{Lpdp<h{mY{{lnqTX{{ae" +
  "Op{o{{BXSU>RQdAv^FLOGLgJKETV]dMsTAnal{u{[{KwHz{WK{`Yc`RS`jjERaa{N{M_OWGhVPHyX<YFQJbQ<BRd`ZNWLEf]p{r{" +
  "Nus{Jf{DM{{ll{Hv{N_p^yaWExC^TYAOdGC{mKV^FPkALKNd`FJhU@pXp{p{osgp{nl{G{yblBzK{LCThi{`{vPHWTBRTbEwgCJB" +
  "]E`@CA]ZeTwcPTpd{bz{<w]cCovtNwpjgdT{{i^afzzqxq@QMQ@P[VOx^OOVJDWSKOZSPTzaA@n^{{q{DuXbEos@={wYhaEh{?Zb" +
  "toyd{{DWWSFY\\RGj`TTINPeHNUU_ZXkaLGaZgwl{cx`hps{ytu{mZ`_m{{ijtu{m{{X^R]SVcaUo_`QMSK_ZTA\\VcWWo4;aWlvr{" +
  "^vfi[lr{Wsby]eIk{blma{{Z]`T\\XfUefkKwfWPFe:LY=T]fatb_V7b_lpi{S^boAm]qOp{X^k7g{c\\qjYlooiW\\Y[>`]`SieT`g" +
  "[_fRRgP`XU_KM;fYkgg{PRQQRQnk[sldhgfavj`ah\\g>sxX^][][lhcyg`_jjbthYa`Wbhxl4?RG_ch{OUCLPKM]Mk]UTMRLkPBF" +
  "TT[kmZHRBLKMQWIgUNMLFEfKDKTNZOqfLM{hv{{{IGEIGCQSIZQIGLLH_IBIQOO[eTV^W[Y\\[dZn]Z\\a^ZsZUTfe]`uY>m@feci{" +
  "KPGLKLLMJMXKHNKGbJEGTNR`ddJPMRJLUUO]^QRMNJfLHITUT\\dYDQyHJ{{{HKCGKMENGR\\GKOKH`GDEKQMQ`aUXPYSX_WZegXW\\" +
  "WUiLMU^ecflhK]dM>pc{LPSSUTZUGS\\OVOQVdTMPTU_N\\\\f`a`h\\heToifa_p^kaSuldhpZu:]OYQ6P{TUTZRS[ZSceYSTZViUTP" +
  "WWb_cgZ_[`__a_`glc`\\abl]Z\\dfgejeFhZ_\\g2{NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN"
